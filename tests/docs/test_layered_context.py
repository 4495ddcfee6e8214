"""The code of docs/howto/layered-context.md runs, and the laws page names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_runs():
    page = ROOT / "docs/howto/layered-context.md"
    code = "\n\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    exec(compile(code, str(page), "exec"), {})  # noqa: S102 # our own page


def test_every_law_names_a_test_that_is_there():
    page = (ROOT / "docs/reference/context-laws.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/\S+\.py)::(test_\w+)`", page)
    assert len(named) > 8
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")

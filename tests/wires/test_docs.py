import re
from pathlib import Path

from triptych.wires.rules.document import rules_document

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_rules_is_the_one_that_the_linter_prints():
    assert (DOCS / "reference" / "rules.md").read_text(encoding="utf-8") == rules_document()


def test_the_snippets_of_the_page_on_linting_run():
    page = (DOCS / "howto" / "lint-a-payload.md").read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(snippets) == 4
    exec(compile("\n".join(snippets), "lint-a-payload.md", "exec"), {})  # noqa: S102 # our own page

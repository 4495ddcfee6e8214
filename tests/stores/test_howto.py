"""The example of docs/howto/add-a-store.md runs."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "add-a-store.md"


def test_the_page_runs_as_written():
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(examples) == 2
    names = {}
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), names)  # noqa: S102 # our own page
    assert callable(names["test_my_store"])

"""Every Python snippet of the docs runs; those of one page share their names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if FENCE.search(path.read_text("utf-8"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_snippets_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": f"snippets_of_{page.stem}"}
    for snippet in FENCE.findall(page.read_text("utf-8")):
        exec(compile(snippet, str(page), "exec"), names)  # noqa: S102 # our own pages

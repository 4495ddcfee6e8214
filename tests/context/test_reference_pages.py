"""The pages about steps say what the code says."""

import re
from pathlib import Path

from triptych.context.original.steps import STEPS
from triptych.context.reference import render_reference

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_reference_page_is_what_the_code_renders():
    written = (DOCS / "reference" / "steps.md").read_text(encoding="utf-8")
    assert written == render_reference(), (
        "Write it anew: python -c 'from triptych.context.reference import render_reference; "
        'open("docs/reference/steps.md", "w", encoding="utf-8").write(render_reference())\''
    )


def test_every_name_of_the_original_has_one_of_ours():
    page = render_reference()
    assert all(f"| {name} | `" in page for name in STEPS)


def test_the_example_of_the_howto_runs():
    page = (DOCS / "howto" / "add-a-processor.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    exec(compile(code, "add-a-processor.md", "exec"), {"__name__": "example"})  # noqa: S102

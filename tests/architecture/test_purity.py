"""Rules that import-linter cannot see."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "triptych"
CORE = ("errors.py", "model", "flow", "repository", "views", "context", "wires")
FILES = [
    path
    for name in CORE
    for path in ([SOURCE / name] if name.endswith(".py") else (SOURCE / name).rglob("*.py"))
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_core_never_asks_for_the_time(path):
    tree = ast.parse(path.read_text("utf-8"))
    asked = [
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert not {"now", "utcnow", "today", "perf_counter", "monotonic"} & set(asked)


def test_every_module_says_what_it_is():
    silent = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "versions" not in path.parts and ast.get_docstring(ast.parse(path.read_text("utf-8"))) is None
    ]
    assert not silent

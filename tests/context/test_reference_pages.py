"""The page about steps has every step, and every name of the original."""

from triptych.context.contract import MARKS
from triptych.context.original.steps import STEPS
from triptych.context.reference import catalogue, render_reference


def test_every_step_and_every_mark_has_a_line():
    page = render_reference()
    assert all(f"| `{step.name}` |" in page for step in catalogue())
    assert all(f"| `{mark}` |" in page for mark in MARKS)


def test_every_name_of_the_original_has_one_of_ours():
    page = render_reference()
    assert all(f"| {name} | `" in page for name in STEPS)


def test_steps_name_only_marks_that_exist():
    assert all(step.reads | step.writes <= MARKS.keys() for step in catalogue())

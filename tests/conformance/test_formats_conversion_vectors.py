"""Every sample file as every format that can be written: what is not lost by the report is there."""

import pytest
from tests.conformance.vectors import HERE, ROOT

from triptych.errors import UsageError
from triptych.formats.paths import active_path
from triptych.formats.read import read
from triptych.formats.registry import FORMATS, load_writer
from triptych.model.messages import ToolMessage, message_text, role_of

pytestmark = pytest.mark.skipif(not HERE, reason="../shared/vectors is not there")

SAMPLES = [
    path
    for folder in (sorted((ROOT / "formats").iterdir()) if HERE else [])
    if folder.is_dir()
    for path in sorted(folder.iterdir())
    if not path.name.endswith(".expect.json")
]
MOST = 3
"""Conversations of one file that are tried."""


def said(imported):
    return [
        (role_of(one), message_text(one))
        for one in active_path(imported)
        if not isinstance(one, ToolMessage) and not one.hidden and message_text(one)
    ]


def test_the_samples_are_there():
    print(f"{len(SAMPLES)} samples")
    assert len(SAMPLES) >= 40


@pytest.mark.parametrize("known", [one for one in FORMATS if one.writer], ids=lambda one: one.name)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_not_in_the_report_comes_back(path, known):
    found, _ = read(path)
    for imported in found[:MOST]:
        if imported.source.format == known.name:
            continue
        try:
            made = load_writer(known).write([imported])
        except UsageError as refused:
            assert "no message to show" in str(refused)
            continue
        name = known.name if known.reader else "openai_chat"
        again = read(made.data, name=f"x{known.suffix}", format_name=name)[0]
        lost = {loss.message for loss in made.losses}
        fields = {(loss.message, loss.field) for loss in made.losses}
        path_ids = [one.id for one in active_path(imported) if not isinstance(one, ToolMessage)]
        silent = [
            one
            for one in active_path(imported)
            if not isinstance(one, ToolMessage)
            and not one.hidden
            and one.id not in lost
            and message_text(one)
        ]
        if (None, "head_id") in fields:
            continue
        there = said(again[0])
        assert [one for one in silent if (role_of(one), message_text(one)) not in there] == []
        if not lost & set(path_ids):
            assert there == said(imported)

"""The laws of the prompt over scripts of many characters, read as a model would read the requests."""

import itertools
import re

import pytest
from tests.chat.scripts import scripts

from triptych.cli.pipe.turns import handle
from triptych.context.envelope.foreign_blocks import unescape

SCRIPTS = {one["name"]: one for one in scripts()}
BLOCK = re.compile(
    r"<note_context>\n<title>.*?</title>\n<path>(?P<path>.*?)</path>\n<content>\n(?P<body>.*?)\n</content>"
    r"|<changed_since>\n<path>(?P<changed>.*?)</path>\n(?P<edits>.*?)</changed_since>",
    re.DOTALL,
)
EDIT = re.compile(
    r"<edit><before>(.*?)</before><old>(.*?)</old><new>(.*?)</new><after>(.*?)</after></edit>", re.DOTALL
)


def notes_of(request):
    """Every note as the request tells it: the last whole text, then the changes, each found in what there was.

    Changes of a note that left with the oldest turns tell nothing; in L2 it is said to be no longer attached.
    """
    known = {}
    for message in request:
        for block in BLOCK.finditer(message["content"]):
            if block["path"] is not None:
                known[unescape(block["path"])] = unescape(block["body"])
            elif (path := unescape(block["changed"])) in known:
                known[path] = changed(known[path], EDIT.findall(block["edits"]))
    return known


def changed(text, edits):
    pieces, place = [], 0
    for before, old, new, after in (map(unescape, one) for one in edits):
        assert text.count(before + old + after) == 1 or before + old + after == text
        start = text.index(before + old + after) + len(before)
        pieces += [text[place:start], new]
        place = start + len(old)
    return "".join((*pieces, text[place:]))


def states(script):
    """The notes as they are in each turn."""
    now = dict(script["notes"])
    for turn in script["turns"]:
        now |= turn["put"]
        yield turn, {path: text for path, text in now.items() if text is not None}


def test_there_are_scripts_enough():
    assert len(SCRIPTS) >= 30


@pytest.mark.parametrize("layout", ["append", "library"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_every_attached_note_can_be_read_in_its_present_text(name, layout):
    out = handle(SCRIPTS[name] | {"layout": layout})
    for (turn, now), request in zip(states(SCRIPTS[name]), out["requests"], strict=True):
        known, last = notes_of(request), request[-1]["content"]
        assert last.endswith(turn["question"])
        for path in turn["attach"]:
            assert f"<path>{path}</path>" in last or f"<unchanged>{path}</unchanged>" in last
            assert ("note_context_error" in last) if path not in now else known[path] == now[path]


@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_is_paid_twice_and_the_same_script_gives_the_same_bytes(name):
    out = handle(SCRIPTS[name])
    for before, after in itertools.pairwise(out["requests"]):
        assert after[: len(before)] == before
    told = out["forecast"]
    assert sum(one["totalBytes"] - one["reusedBytes"] for one in told) == told[-1]["totalBytes"]
    assert handle(SCRIPTS[name]) == out


@pytest.mark.parametrize(("window", "layout"), [(1_500, "append"), (4_000, "append"), (4_000, "library")])
@pytest.mark.parametrize("name", SCRIPTS)
def test_in_a_small_window_a_note_is_whole_or_said_to_be_cut(name, window, layout):
    out = handle(SCRIPTS[name] | {"layout": layout, "window": window})
    for (turn, now), request in zip(states(SCRIPTS[name]), out["requests"], strict=True):
        known, last = notes_of(request), request[-1]["content"]
        assert sum(len(one["content"].encode()) // 4 for one in request) <= window - 512
        for path in (one for one in turn["attach"] if one in now):
            left = path not in known and "There is no room for" in last
            assert left or known[path] == now[path] or "[cut here: " in known[path]
    if layout == "append":
        causes = [one["firstDifference"]["cause"] for one in out["forecast"] if one["firstDifference"]]
        assert set(causes) <= {"epoch"}

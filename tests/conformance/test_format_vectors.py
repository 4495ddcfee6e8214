"""Every sample of ../shared/vectors/formats against its ``.expect.json``, through the reader that content chooses."""

import pytest
from tests.conformance.vectors import HERE, ROOT, load

from triptych.formats.read import read
from triptych.formats.summary import summarize, summarize_conversation

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not HERE, reason="the shared vectors are not here"),
]

EXPECTED = sorted((ROOT / "formats").glob("*/*.expect.json")) if HERE else []
KEYS = {
    "messages": "messages",
    "roots": "roots",
    "branch_points": "branch_points",
    "active_path_roles": "active_path_roles",
    "active_path_text_heads": "active_path_text_heads",
    "warnings_expected": "warnings",
    "conversations": "conversations",
    "hidden": "hidden",
}
ITEM_KEYS = {
    "id": "id",
    "messages": "messages",
    "active_path_roles": "roles",
    "active_path_text_heads": "text_heads",
}


def sample_of(expected):
    stem = expected.name.removesuffix(".expect.json")
    found = [
        path for path in expected.parent.iterdir() if path != expected and stem in (path.name, path.stem)
    ]
    assert len(found) == 1, f"{stem} has {len(found)} samples"
    return found[0]


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sample_reads_as_expected(expected):
    wanted = load(expected)
    sample = sample_of(expected)
    conversations, diagnostics = read(sample)
    summaries = [summarize_conversation(one) for one in conversations]
    got = summarize(sample.name, conversations[0].source.format, summaries, diagnostics)
    assert got["format"] == expected.parent.name
    assert {key: got[KEYS[key]] for key in wanted if key in KEYS} == {
        key: value for key, value in wanted.items() if key in KEYS
    }
    for item, summary in zip(wanted.get("items", []), summaries, strict=False):
        have = {key: getattr(summary, ITEM_KEYS[key]) for key in item}
        assert {
            key: list(value) if isinstance(value, tuple) else value for key, value in have.items()
        } == item


def test_the_samples_were_there():
    assert len(EXPECTED) >= 45
    print(f"{len(EXPECTED)} samples of {len({path.parent for path in EXPECTED})} formats")

"""The vault against what another program was recorded doing, where that is right."""

import pytest
from tests.conformance.vectors import HERE, ROOT, load

from triptych.vault.front_matter import parse_front_matter, split_front_matter
from triptych.vault.marks import front_matter_tags
from triptych.vault.patterns import Candidate, decode_patterns, encode_patterns, matches_pattern

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not HERE, reason="the recorded vectors are not there"),
]


def test_patterns():
    vector = load(ROOT / "copilot" / "extra" / "patterns.json")
    outside = tuple(f"{root}/" for root in vector["system_roots"])
    files = []
    for path, text in vector["vault"].items():
        front_matter = parse_front_matter(split_front_matter(text)[0])[0]
        tags = tuple(front_matter_tags(front_matter))
        if not path.startswith(outside):
            files.append(Candidate(path=path, tags=tags, front_matter=front_matter))
    for case in vector["matches"]:
        named = [file.path for file in files if matches_pattern(case["pattern"], file)]
        assert sorted(named) == sorted(case["included"]), case["pattern"]
        others = [file.path for file in files if file.path not in named]
        assert sorted(others) == sorted(case["excluded_leaves"]), case["pattern"]
    print(f"{len(vector['matches'])} patterns")


def test_pattern_lists_as_text():
    vector = load(ROOT / "copilot" / "extra" / "patterns.json")
    for case in vector["decode"]:
        assert decode_patterns(case["value"]) == case["out"], case
    written = [pattern for patterns in vector["encode"]["input"].values() for pattern in patterns]
    assert encode_patterns(written) == vector["encode"]["out"]
    assert sorted(decode_patterns(vector["encode"]["out"])) == sorted(written)
    print(f"{len(vector['decode']) + 1} lists of patterns")

"""The vault against what another program was recorded doing, where that is right."""

import asyncio

import pytest
from tests.conformance.vectors import HERE, ROOT, load

from triptych.vault import FolderVault
from triptych.vault.addresses import normalize_url
from triptych.vault.front_matter import parse_front_matter, split_front_matter
from triptych.vault.marks import front_matter_tags
from triptych.vault.patterns import Candidate, decode_patterns, encode_patterns, matches_pattern
from triptych.vault.search import VaultSearch
from triptych.vault.search.chunks import chunks_of

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


def test_urls():
    vector = load(ROOT / "copilot" / "extra" / "urls.json")
    for case in vector["match"]:
        assert normalize_url(case["u"]) == case["out"], case
    print(f"{len(vector['match'])} URLs")


def test_search_finds_the_same_notes_with_the_same_one_first(tmp_path):
    vector = load(ROOT / "copilot" / "extra" / "search.json")
    for path, text in vector["vault"].items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text)

    async def work():
        search = VaultSearch(FolderVault(tmp_path / "vault"), tmp_path / "index.db")
        await search.index()
        for case in vector["queries"]:
            found = [hit.path for hit in await search.query(case["queries"][0])]
            ranked = [one["id"].partition("#")[0] for one in case["ranked"]]
            assert set(found) == set(ranked), case["queries"]
            assert found[:1] == ranked[:1], case["queries"]
        await search.close()

    asyncio.run(work())
    print(f"{len(vector['queries'])} queries")


def test_chunks_lose_nothing_and_keep_to_the_limit():
    """The peer cuts headings off from their text and makes a piece of each bare heading: not followed."""
    vector = load(ROOT / "copilot" / "extra" / "chunks.json")
    for case in vector["cases"]:
        _, body = split_front_matter(case["content"])
        chunks = chunks_of(body, longest=vector["max_chars"])
        assert "".join("".join(one.text.split()) for one in chunks) == "".join(body.split()), case["path"]
        assert all(len(one.text) <= vector["max_chars"] for one in chunks), case["path"]
        theirs = {one["heading"] for one in case["chunks"]}
        assert {one.heading for one in chunks} <= theirs, case["path"]
        assert len(chunks) <= len(case["chunks"]), case["path"]
        if len(case["chunks"]) <= 1:
            assert [one.heading for one in chunks] == [one["heading"] for one in case["chunks"]], case["path"]
    print(f"{len(vector['cases'])} notes cut into pieces")

"""A vault of 4,000 notes and 29 MB: how long indexing, asking and taking in one edit take.

``python benchmarks/vault.py [--json] [--notes N]``. The notes are made here, from words as frequent as words are
(Zipf), with headings, links, tags and some Chinese.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from triptych.vault import FolderVault
from triptych.vault.search import VaultSearch

BYTES = 29_000_000
SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ter",
    "ran",
    "su",
    "vel",
    "do",
    "pa",
    "shi",
    "no",
    "gar",
    "ent",
    "wi",
    "sol",
    "bre",
)
CHINESE = "天地人心山水火木金土机器学习消息笔记研究时间工作计划"


def vocabulary(source, many):
    return ["".join(source.choices(SYLLABLES, k=source.randint(1, 4))) for _ in range(many)]


def make_vault(root, many, source):
    words = vocabulary(source, 20_000)
    weights = list(itertools.accumulate(1 / (place + 1) for place in range(len(words))))
    each = BYTES // many if many >= 4000 else 7_250
    for number in range(many):
        folder = root / f"area{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"note {number}.md").write_text(note(words, weights, number, many, each, source))
    return words


def note(words, weights, number, many, size, source):  # noqa: PLR0917 # one call, in order
    parts = [f"---\ntags: [t{number % 50}]\n---\n# Note {number} {words[number % len(words)]}\n"]
    length = 0
    while length < size:
        text = " ".join(source.choices(words, cum_weights=weights, k=60))
        heading = f"\n## {words[source.randrange(2000)]}\n" if source.random() < 0.3 else "\n"
        extra = (
            f" [[note {source.randrange(many)}]] #t{source.randrange(50)}" if source.random() < 0.2 else ""
        )
        extra += "".join(source.choices(CHINESE, k=30)) if source.random() < 0.05 else ""
        parts.append(f"{heading}{text}{extra}\n")
        length += len(parts[-1])
    return "".join(parts)


def questions(words, source):
    common = [f"{words[source.randrange(5, 60)]} {words[source.randrange(60, 800)]}" for _ in range(40)]
    rare = [" ".join(words[source.randrange(1000, 15_000)] for _ in range(4)) for _ in range(30)]
    spoken = [
        f"what is the {words[source.randrange(200, 5000)]} of {words[source.randrange(200, 5000)]}"
        for _ in range(20)
    ]
    return common + rare + spoken + [CHINESE[place : place + 2] for place in range(10)]


async def measure(many):
    source = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "vault"
        root.mkdir()
        words = make_vault(root, many, source)
        size = sum(path.stat().st_size for path in root.rglob("*.md"))
        vault = FolderVault(root)
        search = VaultSearch(vault, Path(name) / "index.db")
        first = await timed(search.index())
        again = await timed(search.index())
        listing = [await timed(vault.notes()) for _ in range(2)]
        queries, worked = await asked_all(search, questions(words, source))
        edits = [await edited(search, root, number) for number in range(0, min(many, 400), 20)]
        index = sum(path.stat().st_size for path in Path(name).glob("index.db*"))  # noqa: ASYNC240 # a few files
        await search.close()
    queries.sort()
    return {
        "notes": many,
        "megabytes": size / 1e6,
        "index_seconds": first / 1e3,
        "nothing_changed_ms": again,
        "list_first_ms": listing[0],
        "list_again_ms": listing[1],
        "query_p50_ms": statistics.median(queries),
        "query_p50_cpu_ms": statistics.median(worked),
        "query_p95_ms": queries[int(len(queries) * 0.95)],
        "edit_p50_ms": statistics.median(edits),
        "index_megabytes": index / 1e6,
    }


async def asked_all(search, texts):
    """Milliseconds by the clock and of this process: on a busy machine they differ."""
    wall, worked = [], []
    for text in texts:
        start = time.process_time()
        wall.append(await timed(search.query(text)))
        worked.append((time.process_time() - start) * 1e3)
    return wall, worked


async def edited(search, root, number):
    path = f"area{number % 20}/note {number}.md"
    with (root / path).open("a") as stream:
        stream.write("\nOne more line.\n")
    return await timed(search.reindex(path))


async def timed(work):
    start = time.perf_counter()
    await work
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--notes", type=int, default=4000)
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.notes))
    if asked.json:
        print(json.dumps(found))
        return
    print(
        f"{found['notes']} notes, {found['megabytes']:.1f} MB; index file {found['index_megabytes']:.0f} MB"
    )
    print(f"index all            {found['index_seconds']:8.2f} s")
    print(f"nothing has changed  {found['nothing_changed_ms']:8.1f} ms")
    print(f"list, first / again  {found['list_first_ms']:8.1f} / {found['list_again_ms']:.1f} ms")
    print(
        f"query p50 / p95      {found['query_p50_ms']:8.1f} / {found['query_p95_ms']:.1f} ms (to hold: p50 <= 20)"
    )
    print(f"query p50, CPU       {found['query_p50_cpu_ms']:8.1f} ms")
    print(f"one changed note     {found['edit_p50_ms']:8.1f} ms (to hold: <= 50)")


if __name__ == "__main__":
    main()

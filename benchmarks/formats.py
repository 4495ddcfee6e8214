"""Reading exports: megabytes a second and peak memory, beside conversation-tk on the same files.

Each reading runs in a process of its own, so that the peak is its own. Speed is by CPU time, which other work on
the machine does not change; wall time stands beside it.

Run: python benchmarks/formats.py [--json] [--sizes 10,100]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = [
    "tide",
    "bolt",
    "kettle",
    "roof",
    "larch",
    "moon",
    "granite",
    "felt",
    "lamp",
    "compost",
    "saw",
    "star",
    "hinge",
    "glue",
    "rose",
    "fern",
]


def words(chance, count):
    return " ".join(chance.choices(WORDS, k=count))


def chatgpt(number, chance):
    """One conversation of about 30 nodes, with the fields that exports have."""
    root = f"root-{number}"
    mapping = {root: {"id": root, "message": None, "parent": None, "children": []}}
    tip = root
    for turn in range(chance.randrange(8, 60)):
        name = f"{number:08x}-{turn:04x}"
        reply = turn % 2
        metadata = {"request_id": f"r-{turn}", "timestamp_": "absolute", "message_source": None}
        if reply:
            metadata |= {"model_slug": "gpt-5", "finish_details": {"type": "stop", "stop_tokens": [200002]}}
        message = {
            "id": name,
            "author": {"role": "assistant" if reply else "user", "name": None, "metadata": {}},
            "create_time": 1_770_000_000.123456 + turn,
            "update_time": None,
            "content": {
                "content_type": "text",
                "parts": [words(chance, chance.randrange(10, 300) if reply else 20)],
            },
            "status": "finished_successfully",
            "end_turn": True,
            "weight": 1.0,
            "metadata": metadata,
            "recipient": "all",
            "channel": None,
        }
        mapping[name] = {"id": name, "message": message, "parent": tip, "children": []}
        mapping[tip]["children"].append(name)
        tip = name if chance.random() > 0.1 else tip
    return {
        "title": words(chance, 4),
        "create_time": 1_770_000_000.25,
        "update_time": 1_770_000_600.75,
        "mapping": mapping,
        "current_node": tip,
        "conversation_id": f"c-{number}",
        "default_model_slug": "gpt-5",
        "id": f"c-{number}",
    }


def claude_ai(number, chance):
    messages = []
    for turn in range(chance.randrange(8, 60)):
        text = words(chance, chance.randrange(10, 300) if turn % 2 else 20)
        messages.append(
            {
                "uuid": f"{number}-{turn}",
                "text": text,
                "content": [{"type": "text", "text": text, "citations": []}],
                "sender": "assistant" if turn % 2 else "human",
                "created_at": f"2026-02-03T10:{turn:02}:00.000000Z",
                "updated_at": "2026-02-04T10:00:00.000000Z",
                "attachments": [],
                "files": [],
                "parent_message_uuid": f"{number}-{turn - 1}"
                if turn
                else "00000000-0000-4000-8000-000000000000",
            }
        )
    return {
        "uuid": f"k-{number}",
        "name": words(chance, 4),
        "created_at": "2026-02-03T10:00:00.000000Z",
        "updated_at": "2026-02-03T11:00:00.000000Z",
        "account": {"uuid": "a"},
        "chat_messages": messages,
    }


def write_export(path, megabytes, make):
    """A list on one line, of at least so many megabytes."""
    chance = random.Random(1)
    with path.open("w") as sink:
        size = sink.write("[")
        number = 0
        while size < megabytes * 1e6:
            size += sink.write((", " if number else "") + json.dumps(make(number, chance)))
            number += 1
        sink.write("]")


def read_ours(path):
    from triptych.formats.read import stream
    from triptych.formats.source import open_source

    return sum(len(item.messages) for item in stream(open_source(path)) if hasattr(item, "messages"))


def read_theirs(path):
    if "claude" in path.name:
        from ctk.importers.anthropic import AnthropicImporter as Importer
    else:
        from ctk.importers.openai import OpenAIImporter as Importer
    with path.open() as source:
        data = json.load(source)
    return sum(len(tree.message_map) for tree in Importer().import_data(data))


def measure(reader, path):
    """Run one reading in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", reader, str(path)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def one(reader, path):
    began, spent = time.perf_counter(), time.process_time()
    messages = {"triptych": read_ours, "conversation-tk": read_theirs}[reader](path)
    used = {"messages": messages, "cpu": time.process_time() - spent, "wall": time.perf_counter() - began}
    used["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(used))


def compare(sizes):
    readers = ["triptych", *(["conversation-tk"] if importlib.util.find_spec("ctk") else [])]
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("chatgpt", chatgpt), ("claude_ai", claude_ai)):
            for size in sizes:
                path = Path(folder) / f"{name}-{size}.json"
                write_export(path, size, make)
                actual = path.stat().st_size / 1e6
                for reader in readers:
                    used = measure(reader, path)
                    yield {
                        "file": path.name,
                        "reader": reader,
                        "messages": used["messages"],
                        "mbPerCpuSecond": actual / used["cpu"],
                        "mbPerSecond": actual / used["wall"],
                        "peakMib": used["peak"],
                    }
                path.unlink()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    options.add_argument("--sizes", default="10,100")
    options.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        one(given.one[0], Path(given.one[1]))
        return
    rows = list(compare([int(size) for size in given.sizes.split(",")]))
    if given.json:
        print(json.dumps(rows))
        return
    print(f"{'file':20} {'reader':16} {'messages':>9} {'MB/s (CPU)':>11} {'MB/s (wall)':>12} {'peak MiB':>9}")
    for row in rows:
        print(
            f"{row['file']:20} {row['reader']:16} {row['messages']:9} {row['mbPerCpuSecond']:11.1f} "
            f"{row['mbPerSecond']:12.1f} {row['peakMib']:9.0f}"
        )


if __name__ == "__main__":
    main()

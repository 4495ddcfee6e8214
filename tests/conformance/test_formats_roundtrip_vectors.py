"""Sample files of every format that has a writer: back as they were, and with exactly one record more."""

import json

import pytest
from tests.conformance.vectors import HERE, ROOT
from tests.properties.test_formats_writers import grow

from triptych.formats.read import read
from triptych.formats.registry import find_format, load_writer

pytestmark = pytest.mark.skipif(not HERE, reason="../shared/vectors is not there")

NAMES = [
    "ai_sdk",
    "anthropic",
    "assistant_ui",
    "copilot_md",
    "librechat",
    "lobehub",
    "openai_chat",
    "openwebui",
    "sharegpt",
    "sillytavern",
]
FILES = [
    path
    for name in NAMES
    for path in (sorted((ROOT / "formats" / name).glob("*.*")) if HERE else [])
    if not path.name.endswith(".expect.json")
]


def named(path):
    return f"{path.parent.name}-{path.stem}"


def write(path, conversations):
    return load_writer(find_format(path.parent.name)).write(conversations)


def records(value):
    """Every JSON object, with its keys in order, however deep it stands."""
    listed, pending = [], [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            listed.append(json.dumps(item))
            pending += item.values()
        elif isinstance(item, list):
            pending += item
    return listed


def test_the_samples_are_there():
    print(f"{len(FILES)} samples")
    assert {path.parent.name for path in FILES} == set(NAMES)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_sample_goes_back_as_it_was(path):
    data = path.read_bytes()
    found, _ = read(data, name=path.name, format_name=path.parent.name)
    made = write(path, found)
    assert not made.losses
    if path.suffix in (".jsonl", ".md"):
        assert made.data == data
    else:
        assert json.dumps(json.loads(made.data)) == json.dumps(json.loads(data))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_one_more_reply_leaves_the_old_records_untouched(path):
    data = path.read_bytes()
    found, _ = read(data, name=path.name, format_name=path.parent.name)
    grown = (grow(found[0], "one more"), *found[1:])
    made = write(path, grown)
    again, _ = read(made.data, name=path.name, format_name=path.parent.name)
    assert len(again[0].messages) == len(found[0].messages) + 1
    assert again[0].messages[-1].parts[0].text == "one more" or any(
        getattr(part, "text", "") == "one more" for message in again[0].messages for part in message.parts
    )
    if path.suffix in (".jsonl", ".md"):
        lines = data.splitlines()
        assert sum(line not in made.data.splitlines() for line in lines) <= (path.parent.name == "sharegpt")
        return
    old, new = records(json.loads(data)), records(json.loads(made.data))
    touched = [one for one in old if one not in new]
    assert len(touched) <= 7, touched

"""Every recorded vector of the engine, through ``triptych pipe context``.

Vectors that record a fault are not met on purpose; each kind of fault has a test for the right behaviour, over the
very inputs that were recorded. Count-based truncation is kept as recorded, faults and all, as the stand-alone step
of the original preset; there the right behaviour is that of ``truncate_by_turns``.
"""

import json
from collections import Counter

import pytest
from tests.conformance import vectors

from triptych.cli.pipe.context import handle
from triptych.context.budget import Budget
from triptych.context.draft import draft_of
from triptych.context.pairing import pair_rows
from triptych.context.processors.truncate_by_turns import truncate_by_turns
from triptych.context.tokens.counter import TokenCounter

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not vectors.HERE, reason="the recorded vectors are not on this machine"),
]

ENGINE = vectors.ROOT / "engine"
FAULTS = vectors.load(ENGINE / "known_divergences.json") if vectors.HERE else {}
FAULTY = {name: fault for fault, names in FAULTS.items() for name in names}
KINDS = sorted(path.name for path in ENGINE.iterdir() if path.is_dir()) if vectors.HERE else []
CUTS = (
    "history_orphans_tool_result",
    "history_missing_or_duplicate_ids_collapse",
    "cuts_a_summary_the_last_user_turn_or_starts_mid_turn",
)


def answer(kind, vector):
    request = {
        name: vector[name]
        for name in ("method", "config", "setup", "input", "clock", "tz", "env")
        if name in vector
    }
    request = json.loads(json.dumps({"step": kind, **request}))
    before = json.dumps(request, sort_keys=True)
    given = json.loads(json.dumps(handle(request)))
    assert json.dumps(request, sort_keys=True) == before, "the input was changed"
    return given


def same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def faulty(fault):
    found = [name for name in FAULTS.get(fault, []) if (ENGINE / name).exists()]
    return [(name, vectors.load(ENGINE / name)) for name in found]


@pytest.mark.parametrize("kind", KINDS)
def test_every_vector_of_a_kind_is_equal(kind):
    files = sorted((ENGINE / kind).glob("*.json"))
    assert files, "the vectors of this kind are gone"
    counts, wrong = Counter(), []
    for path in files:
        name = f"{kind}/{path.name}"
        if same(answer(kind, vectors.load(path)), vectors.load(path)["expected"]):
            counts["equal"] += 1
        elif name in FAULTY:
            counts["recorded fault"] += 1
        else:
            wrong.append(name)
    print(f"{kind}: {dict(counts)}")
    assert not wrong


def test_nothing_becomes_the_words_object_object():
    for name, vector in faulty("object_object_coercion"):
        given = answer(name.split("/")[0], vector)
        if "[object Object]" not in json.dumps(vector["input"]):
            assert "[object Object]" not in json.dumps(given), name


def test_a_template_runs_no_code_and_keeps_the_words():
    for name, vector in faulty("input_template_executes_code"):
        template = vector["config"]["inputTemplate"]
        words = [row["content"] for row in vector["input"]["messages"] if row["role"] == "user"]
        told = [
            row["content"] for row in answer(name.split("/")[0], vector)["messages"] if row["role"] == "user"
        ]
        assert told[0] == template.replace("{{text}}", words[0]), name


def test_signatures_survive_flattening():
    for fault in ("grouped_thought_signature_lost", "thought_signature_lost_in_flattening"):
        for name, vector in faulty(fault):
            given = answer(name.split("/")[0], vector)
            assert signatures(given["messages"]) >= signatures(vector["input"]["messages"]), name


def signatures(value):
    if isinstance(value, dict):
        own = {value["thoughtSignature"]} if value.get("thoughtSignature") else set()
        return own.union(*(signatures(item) for item in value.values()))
    return set().union(*(signatures(item) for item in value)) if isinstance(value, list) else set()


def test_a_tool_result_of_parts_is_not_replaced_by_a_failure():
    for name, vector in faulty("image_tool_result_replaced_by_failure"):
        kept = [
            row["content"] for row in answer(name.split("/")[0], vector)["messages"] if row["role"] == "tool"
        ]
        given = [row["content"] for row in vector["input"]["messages"] if row["role"] == "tool"]
        assert all(content in kept for content in given if isinstance(content, list)), name


def test_a_recorded_tool_result_is_not_filled_with_variables():
    for name, vector in faulty("placeholder_substituted_in_tool_result (fixed upstream later)"):
        given = answer(name.split("/")[0], vector)["messages"]
        for row, before in zip(given, vector["input"]["messages"], strict=True):
            assert row["role"] != "tool" or row == before, name


def test_a_flag_that_nothing_was_injected_for_is_a_flag_about_the_memories():
    for name, vector in faulty("input_metadata_mutated_and_false_injected_flag"):
        given = answer(name.split("/")[0], vector)
        assert given["messages"] == vector["input"]["messages"], name


def test_a_summary_is_not_cut_by_the_whole_preset():
    for name, vector in faulty("compression_summary_truncated_away"):
        summary = next(row for row in vector["input"]["messages"] if row["role"] == "compressedGroup")
        assert summary["content"] in json.dumps(answer(name.split("/")[0], vector)["messages"]), name


@pytest.mark.parametrize("fault", CUTS)
def test_cutting_by_turns_has_none_of_the_faults_of_counting(fault):
    for name, vector in faulty(fault):
        rows = vector["input"]["messages"]
        count = max(1, (vector.get("config") or {}).get("historyCount") or 1)
        kept = truncate_by_turns(Budget(window=10_000), TokenCounter(), most_turns=count)(draft_of(rows)).rows
        users = [row for row in rows if row["role"] == "user"]
        alone = [rows[place] for place in pair_rows(rows).orphans]
        assert all(kept[place] in alone for place in pair_rows(kept).orphans), name
        assert not users or users[-1] in kept, name
        assert all(row in kept for row in rows if row["role"] == "compressedGroup"), name
        spoken = [row for row in kept if row["role"] not in ("system", "compressedGroup")]
        assert not users or len(spoken) == len(rows) or spoken[0]["role"] == "user", name


def test_arguments_that_are_a_scalar_are_answered():
    request = {"step": "ToolArgumentsRepairer", "method": "parse", "input": {"args": ["run", "5"]}}
    config = {"api": [{"name": "run", "parameters": {"required": ["a"]}}]}
    assert handle({**request, "config": config}) == {"result": 5}

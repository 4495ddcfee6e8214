"""Recorded block, history, repository and project vectors of another program: what is right in them holds here.

Each place where we differ on purpose is named in ``DIFFERS`` with its reason and is asserted as it is with us.
"""

import asyncio
import itertools

import pytest
from tests.conformance.vectors import HERE, ROOT, files, load

from triptych.chat.projects import project_of_note
from triptych.cli.pipe.turns import handle
from triptych.context.envelope import foreign_blocks
from triptych.context.envelope.blocks import escape
from triptych.context.envelope.foreign_blocks import (
    BLOCK_KINDS,
    content_of,
    escape_attribute,
    kept_text,
    kind_of,
    read_blocks,
    source_of,
    tag_of,
    unescape,
)
from triptych.context.envelope.shorten import shorten, shorten_sections
from triptych.errors import UsageError
from triptych.formats.copilot_md.marks import answer_parts
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, UserMessage, message_text
from triptych.model.parts import ErrorPart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from triptych.repository import Repository
from triptych.vault import FolderVault
from triptych.views.prompt import to_prompt

pytestmark = pytest.mark.skipif(not HERE, reason="the recorded vectors are not here")
XML, EXTRA = ROOT / "copilot" / "xml", ROOT / "copilot" / "extra"

DIFFERS = {
    "split pair": "a character outside the basic plane is not cut in two",
    "omitted note": "the sentence that counts left-out sections is our own",
    "whole body": "an earlier note stays whole; a preview of it would be stale and lossy (faults 3 to 5)",
    "quotes in a body": "between tags quotes are no markup, so that a body stays readable",
    "error block": "a block that tells of an error is kept by its writer, never dropped (fault 9)",
}


def vector(folder, name):
    return load(folder / f"{name}.json")


def test_the_registry():
    recorded = vector(XML, "01_registry")
    assert [vars_of(kind) for kind in BLOCK_KINDS.values()] == recorded["table"]
    assert [tag for tag, kind in BLOCK_KINDS.items() if not kind.recoverable] == recorded["never_compact"]
    for one in recorded["lookups"]:
        kind = kind_of(one["tag"])
        assert (kind.source_type, kind.recoverable) == (one["source_type"], one["recoverable"])
    print(f"{len(recorded['table'])} tags, {len(recorded['lookups'])} look-ups")


def vars_of(kind):
    return {
        "tag": kind.tag,
        "sourceType": kind.source_type,
        "recoverable": kind.recoverable,
        "sourceExtractor": kind.source_extractor,
    }


def test_segments():
    cases = vector(XML, "02_segments")["cases"]
    for case in cases:
        found = read_blocks(case["xml"])
        assert [(one.key, one.text, one.note_path) for one in found] == [
            (one["id"], one["content"], one["metadata"].get("notePath")) for one in case["segments"]
        ], case["name"]
        assert [one.earlier for one in found] == [
            one["metadata"]["source"] == "previous_turns_compacted" for one in case["segments"]
        ]
        assert "\n".join(one.text for one in found) == case["rejoined"]
        assert all(case["xml"][one.start : one.end] == one.text for one in found)
    print(f"{len(cases)} texts")


def test_extraction():
    cases = vector(XML, "03_extract")["cases"]
    for case in cases:
        block = case["block"]
        assert tag_of(block) == case["detected_tag"]
        assert source_of(block) == case["source"]
        assert source_of(block, any_kind=True) == case["source_any"]
        assert content_of(block) == case["content"]
    print(f"{len(cases)} blocks")


def test_shortening():
    recorded = vector(XML, "05_truncate")
    for case in recorded["cases"]:
        expected = case["out"]
        if any(0xD800 <= ord(sign) <= 0xDFFF for sign in expected):
            assert DIFFERS["split pair"]
            expected = "".join(sign for sign in expected if not 0xD800 <= ord(sign) <= 0xDFFF)
        assert shorten(case["text"], case["max"]) == expected
    for case in recorded["by_section"]:
        ours = shorten_sections(case["text"], case["preview"], case["max_sections"])
        if "omitted" in case["out"]:
            assert DIFFERS["omitted note"]
            assert ours.rpartition("\n\n")[0] == case["out"].rpartition("\n\n")[0]
        else:
            assert ours == case["out"]
    print(f"{len(recorded['cases']) + len(recorded['by_section'])} texts")


def test_escaping():
    recorded = vector(XML, "06_escape")
    for case in recorded["cases"]:
        text = case["text"]
        assert escape_attribute(text) == case["escaped"] == case["attr"]
        assert unescape(text) == case["unescaped"]
        assert unescape(escape_attribute(text)) == case["roundtrip"]
        assert DIFFERS["quotes in a body"]
        assert escape(text) == case["escaped"].replace("&quot;", '"').replace("&apos;", "'")
        assert unescape(escape(text)) == text
    print(f"{len(recorded['cases'])} texts; what is no text does not get here: it is refused by its type")


def test_what_goes_on_to_later_turns():
    cases = vector(XML, "09_l2_segment")["cases"]
    for case in cases:
        ours, theirs = kept_text(case["input"]), case["output"]
        if "<prior_context" in theirs and "<prior_context" not in case["input"]:
            assert DIFFERS["whole body"]
            assert [one.key for one in read_blocks(ours)] == [one.key for one in read_blocks(theirs)]
            assert all(one.text in case["input"] for one in read_blocks(ours))
            assert len(ours) > len(theirs)
        else:
            assert ours == theirs, case["name"]
    print(f"{len(cases)} texts")


def plain(parts):
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def test_marks_in_answers():
    """Thinking, agent steps and tool calls become parts; what is said to a model later is the text alone."""
    cases = vector(XML, "10_assistant_text")["cases"]
    for case in cases:
        parts = answer_parts(case["text"])
        reasoning, calls = (
            case["reasoning"],
            [one for one in case["markers"]["segments"] if one["type"] == "toolCall"],
        )
        if reasoning is not None:
            (steps,) = [one for one in parts if isinstance(one, ReasoningPart)]
            assert steps.text == "\n".join(reasoning["steps"])
            assert steps.duration == reasoning["elapsedSeconds"] * 1000
            assert plain(parts) == reasoning["contentAfter"]
        for call in calls:
            (made,) = [one for one in parts if isinstance(one, ToolCallPart)]
            (result,) = [one for one in parts if isinstance(one, ToolResultPart)]
            assert (made.call_id, made.name) == (call["toolCall"]["id"], call["toolCall"]["toolName"])
            assert plain(result.content) == call["toolCall"]["result"]
            assert plain(parts) == case["copy"]
        if case["text"].startswith("<think>") and "</think>" in case["text"]:
            assert plain(parts).partition("<think>")[0] == case["without_think"]
        shown = to_prompt(AssistantMessage(id="m", parts=parts))
        said = message_text(shown) if shown is not None else ""
        assert "AGENT_REASONING:complete:3" not in said
        assert "TOOL_CALL_END" not in said
    assert answer_parts("<errorChunk>e</errorChunk>") == (ErrorPart(message="e"),)
    print(f"{len(cases)} answers")


def test_history_roles():
    """Only what a person and a model said is history, in its order; a last question without answer stays last."""
    cases = vector(XML, "11_history_roles")["cases"]
    for case in cases:
        said = [one for one in map(as_message, case["raw"]) if one is not None]
        assert [role for role, _ in said] == [one["role"] for one in case["processed"]]
        repository = Repository(conversation())
        for place, (role, text) in enumerate(said):
            repository.append(message(role, f"m{place}", repository.head_id, text))
        path = repository.path()
        pairs = [
            (message_text(one), message_text(two))
            for one, two in itertools.pairwise(path)
            if isinstance(one, UserMessage) and isinstance(two, AssistantMessage)
        ]
        wanted = case["turns"]
        assert [one for one, _ in pairs] == [one["user"] for one in wanted["turns"]]
        if wanted["trailingUserMessage"] is not None:
            assert message_text(path[-1]) == wanted["trailingUserMessage"]
    print(f"{len(cases)} histories")


ROLES = {"human": "user", "user": "user", "ai": "assistant", "AI": "assistant", "assistant": "assistant"}


def as_message(raw):
    named = next((raw[key] for key in ("role", "type", "sender") if raw and raw.get(key)), None)
    role = ROLES.get(named)
    content = raw["content"] if role is not None else ""
    if isinstance(content, list):
        content = "".join(one.get("text", "") for one in content)
    return None if role is None else (role, content)


def conversation():
    return Conversation(id="c", project_id="p", user_id="u", title="", created_at=0, updated_at=0)


def message(role, name, parent, text):
    make = UserMessage if role == "user" else AssistantMessage
    return make(id=name, parent_id=parent, parts=(TextPart(text=text),))


class Replay:
    """The recorded operations on our repository: a tree whose path is their list."""

    def __init__(self):
        self.repository, self.next = Repository(conversation()), 0

    def texts(self):
        return [(one.id, message_text(one)) for one in self.repository.path()]

    def add(self, fact):
        role = "user" if fact["sender"] == "user" else "assistant"
        self.next += 1
        name = fact.get("id") or f"new{self.next}"
        self.repository.append(message(role, name, self.repository.head_id, fact["message"]))

    def run(self, op, args):
        repository = self.repository
        match op:
            case "add_message" | "add_message_dup_id":
                self.add(args[0])
            case "add_text":
                self.add({"message": args[0], "sender": args[2], "id": "gen1"})
            case "edit":
                old = repository.get(args[0])
                self.next += 1
                fresh = f"edit{self.next}"
                changes = repository.edit(old.id, (TextPart(text=args[1]),), new_id=fresh, now=1)
                return bool(changes)
            case "truncate_after_id":
                repository.truncate_after(args[0])
            case "truncate_after":
                path = repository.path()
                repository.clear() if args[0] < 0 else repository.truncate_after(path[args[0]].id)
            case "delete":
                repository.remove(args[0], splice=True)
            case "clear":
                repository.clear()
            case "load":
                self.repository, _ = Repository.load(conversation(), [])
                for fact in args[0]:
                    self.add(fact)
        return None


UNKNOWN = {("edit", "none"), ("delete", "none")}


def test_repository_operations():
    """The 24 operations. Where theirs lose something ours say so or keep it; each place is named beside its assert."""
    ops = vector(EXTRA, "repository")["ops"]
    replay, seen = Replay(), []
    for one in ops:
        op, args = one["op"], one["args"]
        name = args[0] if args and isinstance(args[0], str) else None
        seen.append(op)
        before = replay.texts()
        if (op, name) in UNKNOWN or op == "add_message_dup_id":
            # An unknown or a taken id is bad use: it is refused with a sentence and changes nothing.
            with pytest.raises(UsageError):
                replay.run(op, args)
            assert replay.texts() == before
        elif op == "edit":
            # An edited message is a branch beside the old one, which stays with its answers; equal text changes nothing.
            assert replay.run(op, args) is True
            assert replay.texts()[-1][1] == args[1]
            assert replay.run(op, [replay.texts()[-1][0], args[1]]) is False
            replay.repository.switch("h")
            assert replay.texts() == before
        elif op in {
            "update_processed",
            "update_processed_no_envelope",
            "get_llm_message",
            "add_text_missing",
        }:
            # What a model was given is an envelope beside the message: never a second text to go stale.
            assert replay.texts() == before
        elif op == "get_message" and name == "none":
            assert "none" not in replay.repository
        elif op == "get_message":
            assert replay.repository.get(name).id == name
        else:
            replay.run(op, args)
            assert len(replay.texts()) == len({two["id"]: two for two in one["stored"]}), op
    assert len(ops) == len(seen)
    print(f"{len(ops)} operations")


def project_facts(project):
    return {
        "id": project.id,
        "name": project.name,
        "systemPrompt": project.instructions,
        "projectModelKey": project.model or "",
    }


def test_project_notes(tmp_path):
    """A foreign ``project.md`` is read: id, name, instructions, model, parameters, patterns, addresses."""
    cases = vector(EXTRA, "projects")["cases"]
    for case in cases:
        place = tmp_path / case["path"]
        place.parent.mkdir(parents=True)
        place.write_bytes(case["content"].encode())
        note, _ = asyncio.run(FolderVault(tmp_path).read(case["path"]))
        project, record = project_of_note(note), case["record"]
        if record is None:
            # Without a usable id the folder is the id: a project.md is a project wherever it stands.
            assert project.id.startswith("vault:") or project.id == "d"
            continue
        wanted = record["project"]
        assert project_facts(project) == {
            "id": wanted["id"],
            "name": wanted["name"],
            "systemPrompt": wanted["systemPrompt"].strip(),
            "projectModelKey": wanted["projectModelKey"],
        }
        if wanted["modelConfigs"]:
            assert project.parameters == {"temperature": 0.3, "max_tokens": 500}
            assert project.include == ("Notes", "#tag", "[[A]]")
            assert project.exclude == ("*.pdf",)
            assert project.urls == ("https://a.com", "https://b.com", "https://y.com", "https://z.com")
    print(f"{len(cases)} project notes")


def test_every_name_of_the_reader_is_public():
    assert all(hasattr(foreign_blocks, name) for name in foreign_blocks.__all__)


@pytest.mark.parametrize("window", [8_000, 12_000, 20_000])
def test_small_windows_break_a_prefix_once_an_epoch(window):
    """Every break is the beginning of an epoch; what is attached is there in full unless it was told to be cut."""
    paths = files("cache")
    for path in paths:
        scenario = load(path)
        out = handle(scenario | {"window": window})
        causes = [one["firstDifference"]["cause"] for one in out["forecast"] if one["firstDifference"]]
        assert set(causes) <= {"epoch"}, path.stem
        notes, cut = dict(scenario["notes"]), 0
        for turn, request in zip(scenario["turns"], out["requests"], strict=True):
            notes |= turn["put"]
            whole = "\n".join(one["content"] for one in request)
            assert len(whole.encode()) // 4 <= window - 512
            for name in turn["attach"]:
                there = notes[name] in whole or "<changed_since>" in whole
                assert there or "[cut here: " in whole
                cut += not there
        assert cut <= 1
    print(f"{len(paths)} conversations in a window of {window}")


@pytest.mark.parametrize("layout", ["append", "library"])
def test_prompt_cache_scenarios_are_fresh_in_every_turn(layout):
    paths = files("cache")
    for path in paths:
        scenario = load(path)
        out = handle(scenario | {"layout": layout})
        notes = dict(scenario["notes"])
        for turn, request in zip(scenario["turns"], out["requests"], strict=True):
            notes |= turn["put"]
            whole = "\n".join(one["content"] for one in request)
            assert all(notes[name] in whole or "<changed_since>" in whole for name in turn["attach"])
        if layout == "append":
            uncached = sum(one["totalBytes"] - one["reusedBytes"] for one in out["forecast"])
            assert uncached == out["forecast"][-1]["totalBytes"]
    print(f"{len(paths)} conversations, {layout}")


def cost_of(out):
    """What the requests cost when a read from the cache costs a tenth, and the share that was read from it."""
    total = sum(one["totalBytes"] for one in out["forecast"])
    reused = sum(one["reusedBytes"] for one in out["forecast"])
    return total - reused + reused / 10, reused / total


def test_the_prompt_cache_scenarios_cost_less_than_the_best_measured_layout():
    mixed = handle(load(ROOT / "cache" / "mixed_20.json"))
    cost, hit = cost_of(mixed)
    assert cost <= 149_898
    assert hit >= 0.889
    assert mixed["forecast"][-1]["totalBytes"] <= 82_966
    found = [cost_of(handle(load(path))) for path in files("cache") if path.stem.startswith("random")]
    assert sum(cost for cost, _ in found) / len(found) <= 142_247
    assert sum(hit for _, hit in found) / len(found) >= 0.92
    print(f"mixed: {cost:.0f} at {hit:.4f}; {len(found)} random ones")

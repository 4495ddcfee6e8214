from datetime import UTC, timedelta, timezone

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.errors import UsageError
from triptych.formats.conversation import native_conversation
from triptych.formats.copilot_md import pieces
from triptych.formats.copilot_md.names import (
    belongs_to,
    cut_bytes,
    file_name,
    parse_name,
    topic_from_reply,
    topic_of,
)
from triptych.formats.copilot_md.reading import read_note
from triptych.formats.copilot_md.writing import write, write_note
from triptych.model import references as r
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage, message_text
from triptych.model.parts import (
    ErrorPart,
    ReasoningPart,
    ReferencePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

FRONT = '---\nepoch: 1700000000123\nmodelKey: "m|p"\n\n\ntags:\n  - copilot-conversation\n---\n\n'
STAMP = "[Timestamp: 2023/11/14 22:13:20]"


def read(text, **options):
    return read_note(text.encode(), zone=UTC, **options)


def texts(imported):
    return [message_text(message, "") for message in imported.messages]


def codes(imported):
    return sorted({one.code for one in imported.diagnostics})


def chat(*messages, **fields):
    line = []
    for message in messages:
        parent = line[-1].id if line else None
        line.append(msgspec.structs.replace(message, parent_id=parent))
    return native_conversation(Conversation(id="c", head_id=line[-1].id, **fields), line)


def user(made, *parts, **fields):
    return UserMessage(id=made, parts=parts, created_at=1_700_000_000_000, **fields)


def reply(made, *parts, **fields):
    return AssistantMessage(id=made, parts=parts, created_at=1_700_000_002_000, **fields)


def test_a_quoted_transcript_does_not_split_a_message():
    text = FRONT + f"**user**: look:\n**ai**: old\n**user**: older\n{STAMP}\n\n**ai**: yes\n{STAMP}"
    imported = read(text)
    assert texts(imported) == ["look:\n**ai**: old\n**user**: older", "yes"]
    assert codes(imported) == ["W_SPLIT_AMBIGUOUS"]


def test_without_time_lines_a_header_in_a_fence_is_text():
    imported = read("**user**: show\n\n**ai**: ```\n**user**: no\n```\n\n~~~\n**ai**: nor this\n~~~\ndone")
    assert texts(imported) == ["show", "```\n**user**: no\n```\n\n~~~\n**ai**: nor this\n~~~\ndone"]


def test_messages_without_time_lines_stay_apart_when_one_is_added():
    imported = read(FRONT + "**user**: q\n\n**ai**: a")
    once = read_note(write_note(grown_by(imported, user("x", TextPart(text="b"))), zone=UTC).data, zone=UTC)
    twice = read_note(write_note(grown_by(once, reply("y", TextPart(text="c"))), zone=UTC).data, zone=UTC)
    assert texts(twice) == ["q", "a", "b", "c"]


def test_a_fence_that_is_never_closed_hides_nothing():
    assert texts(read("**user**: ```\n\n**ai**: a")) == ["```", "a"]


def test_the_first_message_keeps_the_milliseconds_of_the_front_matter():
    imported = read(FRONT + f"**user**: q\n{STAMP}")
    assert imported.messages[0].created_at == 1_700_000_000_123
    assert imported.conversation.created_at == 1_700_000_000_123


def test_the_writers_zone_is_told_by_the_epoch():
    text = (
        FRONT + "**user**: q\n[Timestamp: 2023/11/15 07:13:20]\n\n**ai**: a\n[Timestamp: 2023/11/15 07:13:22]"
    )
    imported = read(text)
    assert [m.created_at for m in imported.messages] == [1_700_000_000_123, 1_700_000_002_000]
    grown = grown_by(imported, reply("x", TextPart(text="more")))
    assert write_note(grown, zone=UTC).data.decode().endswith("[Timestamp: 2023/11/15 07:13:22]")


def grown_by(imported, message):
    head = imported.conversation.head_id
    message = msgspec.structs.replace(message, parent_id=head)
    return msgspec.structs.replace(
        imported,
        messages=(*imported.messages, message),
        conversation=msgspec.structs.replace(imported.conversation, head_id=message.id),
    )


def test_one_more_reply_leaves_every_old_byte():
    text = (
        FRONT.replace("tags", "mine: [a, b] # kept\ntags")
        + f"intro\n\n**user**: q\n\n\n\n{STAMP}\n\n\n**ai**: a\n{STAMP}"
    )
    grown = grown_by(read(text), user("x", TextPart(text="and?")))
    assert write_note(grown, zone=UTC).data.decode() == text + f"\n\n**user**: and?\n{STAMP}"


def test_a_new_title_changes_its_own_line_only():
    text = FRONT.replace("tags", "mine: x\ntopic: 'Old'\ntags") + f"**user**: q\n{STAMP}"
    imported = read(text)
    assert imported.conversation.title == "Old"
    renamed = msgspec.structs.replace(
        imported, conversation=msgspec.structs.replace(imported.conversation, title='A "new" one')
    )
    assert write_note(renamed, zone=UTC).data.decode() == text.replace("'Old'", '"A \\"new\\" one"')


def test_paths_with_separators_are_kept_whole_and_said():
    line = "[Context: Notes: a, b.md, x [1].md, p | q.md | URLs: https://e.com/?a=1, 2]"
    imported = read(FRONT + f"**user**: q\n{line}\n{STAMP}")
    paths = [part.reference for part in imported.messages[0].parts[1:]]
    assert paths == [
        r.NoteReference(path="a, b.md"),
        r.NoteReference(path="x [1].md"),
        r.NoteReference(path="p | q.md"),
        r.UrlReference(url="https://e.com/?a=1, 2"),
    ]
    assert codes(imported) == ["W_CONTEXT_AMBIGUOUS"]
    known = read(FRONT + f"**user**: q\n[Context: Notes: a, b.md]\n{STAMP}", notes={"a, b.md"})
    assert codes(known) == []


def test_a_reference_to_a_note_that_is_gone_is_kept():
    imported = read(FRONT + f"**user**: q\n[Context: Notes: gone/a.md]\n{STAMP}", notes={"b.md"})
    assert imported.messages[0].parts[-1] == ReferencePart(reference=r.NoteReference(path="gone/a.md"))
    assert codes(imported) == ["W_UNRESOLVED_REFERENCE"]


def test_a_body_that_ends_like_a_context_line_keeps_it():
    text = "see\n[Context: Notes: a.md]"
    for message in (user("a", TextPart(text=text)), reply("a", TextPart(text=text))):
        made = write_note(chat(message), zone=UTC)
        assert texts(read_note(made.data, zone=UTC)) == [text]


def test_a_body_that_ends_like_a_time_line_keeps_it():
    text = f"see\n{STAMP}"
    assert texts(read_note(write_note(chat(user("a", TextPart(text=text)))).data)) == [text]


def test_thinking_and_steps_become_reasoning_and_not_text():
    body = '<!--AGENT_REASONING:complete:12:["look","read"]-->\n\n<think>\nhm\n</think>\nanswer'
    message = read(FRONT + f"**ai**: {body}\n{STAMP}").messages[0]
    assert message.parts == (
        ReasoningPart(text="look\nread", duration=12_000),
        ReasoningPart(text="hm"),
        TextPart(text="answer"),
    )


def test_steps_may_hold_the_end_of_a_mark():
    body = '<!--AGENT_REASONING:complete:5:["a --> b"]-->\n\nanswer'
    parts = (ReasoningPart(text="a --> b", duration=5_000), TextPart(text="answer"))
    assert read(FRONT + f"**ai**: {body}\n{STAMP}").messages[0].parts == parts
    made = write_note(chat(user("a", TextPart(text="q")), reply("b", TextPart(text=body))), zone=UTC)
    assert texts(read_note(made.data, zone=UTC)) == ["q", "answer"]


def test_a_mark_without_a_list_ends_at_the_first_end():
    body = '<!--AGENT_REASONING:complete:5:["a --> b-->answer'
    assert read(FRONT + f"**ai**: {body}\n{STAMP}").messages[0].parts[1:] == (TextPart(text="b-->answer"),)


def test_tool_banners_become_calls_and_blank_lines_stay():
    body = "a<!--TOOL_CALL_START:1:find:Find:x::false-->b<!--TOOL_CALL_END:1:ENC:%7B%7D-->c\n\n\n\nd"
    message = read(FRONT + f"**ai**: {body}\n{STAMP}").messages[0]
    assert message.parts == (
        TextPart(text="a"),
        ToolCallPart(call_id="1", name="find", server_side=True),
        ToolResultPart(call_id="1", name="find", content=(TextPart(text="{}"),)),
        TextPart(text="c\n\n\n\nd"),
    )


def test_an_error_stays_an_error():
    made = write_note(chat(user("a", TextPart(text="q")), reply("b", ErrorPart(message="500"))), zone=UTC)
    assert read_note(made.data, zone=UTC).messages[1].parts == (ErrorPart(message="500"),)


def test_the_report_names_what_a_note_cannot_hold():
    call = ToolCallPart(call_id="1", name="find")
    imported = chat(
        user("a", TextPart(text="q"), ReferencePart(reference=r.SelectionReference(text="sel"))),
        reply("b", ReasoningPart(text="hm"), call, model="x"),
        ToolMessage(id="t", parts=(ToolResultPart(call_id="1"),)),
        reply("d", TextPart(text="**ai**: fake\n**user**: fake")),
    )
    losses = {(one.message, one.field) for one in write_note(imported, zone=UTC).losses}
    assert losses == {
        ("a", "reference"),
        ("b", "reasoning"),
        ("b", "toolCall"),
        ("b", "model"),
        ("t", "branch"),
        ("d", "text"),
    }


def test_hidden_messages_are_not_written():
    made = write_note(
        chat(user("a", TextPart(text="q")), user("b", TextPart(text="h"), hidden=True)), zone=UTC
    )
    assert "h\n" not in made.data.decode().partition("---\n\n")[2]
    assert [one.field for one in made.losses] == ["branch"]


def test_an_empty_chat_makes_no_file():
    with pytest.raises(UsageError):
        write([native_conversation(Conversation(id="c"), [])])
    with pytest.raises(UsageError):
        write([])


def test_the_same_file_gives_the_same_ids_and_a_longer_one_only_new_ones():
    short = FRONT + f"**user**: q\n{STAMP}"
    long = short + f"\n\n**ai**: a\n{STAMP}"
    first, again, more = read(short), read(short), read(long)
    assert first.messages == again.messages
    assert more.conversation.id == first.conversation.id
    assert more.messages[0].id == first.messages[0].id
    assert read(short.replace("q\n", "p\n")).messages[0].id != first.messages[0].id


LOOKALIKES = st.sampled_from(
    [
        "**user**: ",
        "**ai**: ",
        "\n",
        "\n\n",
        "```",
        STAMP,
        "[Context: Notes: a.md]",
        "]",
        "---",
        "\r\n",
        "x",
        " ",
    ]
)
ANY = st.lists(
    LOOKALIKES | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5),
    max_size=25,
).map("".join)


@given(ANY | st.text())
@settings(max_examples=400, deadline=None)
def test_any_text_goes_back_in_the_same_bytes(text):
    imported = read_note(text.encode("utf-8", "surrogatepass"), zone=UTC)
    if imported.messages or not pieces.cut(text).pieces:
        assert write_note(imported, zone=UTC).data == text.encode("utf-8", "surrogatepass")


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_go_back(data):
    assert write_note(read_note(data, zone=UTC), zone=UTC).data == data


@given(st.lists(ANY, min_size=1, max_size=5), st.integers(-14 * 4, 14 * 4))
@settings(max_examples=300, deadline=None)
def test_what_was_said_comes_back_unless_the_report_says_so(said, quarters):
    zone = timezone(timedelta(minutes=15 * quarters))
    kinds = [user if index % 2 == 0 else reply for index in range(len(said))]
    imported = chat(
        *(kind(f"m{i}", TextPart(text=text)) for i, (kind, text) in enumerate(zip(kinds, said, strict=True)))
    )
    made = write_note(imported, zone=zone)
    lost = {one.message for one in made.losses}
    if lost:
        return
    again = read_note(made.data, zone=zone)
    assert texts(again) == said
    assert [m.created_at for m in again.messages] == [m.created_at for m in imported.messages]


@given(st.text(max_size=300), st.integers(0, 4_000_000_000_000), st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_a_name_fits_every_file_system(said, time, template):
    name = file_name(topic_of(said), time, UTC, template)
    assert len(name.encode("utf-8", "replace")) <= 100
    assert name.endswith(".md")
    assert not set(name) & set('/\\:*?"<>|\0\n')


def test_a_cut_name_never_holds_half_a_character():
    assert cut_bytes("a😀😀", 6) == "a😀"


def test_a_context_line_above_a_blank_line_is_text():
    imported = read(FRONT + f"**user**: q\n[Context: Notes: a.md]\n\n{STAMP}")
    assert texts(imported) == ["q\n[Context: Notes: a.md]"]
    assert len(imported.messages[0].parts) == 1


def test_a_topic_that_a_model_made_is_cleaned():
    assert topic_from_reply(' "Nice: topic?" \n') == "Nice topic"
    assert topic_from_reply("x" * 80) == "x" * 50
    assert topic_from_reply("  ") is None


def test_dollar_signs_in_a_topic_are_themselves():
    assert file_name("$& and $1", 0, UTC, "{$topic}") == "$&_and_$1.md"


@pytest.mark.parametrize(
    ("name", "project", "title"),
    [
        ("proj-20240102_030405-gpt-4o-chat.md", "proj", "gpt-4o"),
        ("my-proj-1704164645000-gpt-chat.md", "my-proj", "gpt"),
        ("20240102_030405-gpt-4o-chat.md", None, "gpt-4o"),
        ("p1__Hello_there@20240102_030405.md", "p1", "Hello there"),
        ("agent__Hello@20240102_030405.md", None, "Hello"),
        ("20240102_030405__Hello.md", None, "Hello"),
        ("Plan_2024_12345678@20240102_030405.md", None, "Plan 2024 12345678"),
    ],
)
def test_the_documented_names_are_read(name, project, title):
    found = parse_name(name)
    assert (found.project, found.title) == (project, title)
    assert found.agent == name.startswith("agent__")


def test_the_list_of_a_project_shows_its_own_chats_only():
    names = {"p__a.md": {}, "q__a.md": {}, "a.md": {}, "b.md": {"projectId": "p"}, "x__a.md": {}}
    known = {"p", "q"}
    shown = {
        key: [n for n, keys in names.items() if belongs_to(n, keys, key, known)] for key in ("p", "q", None)
    }
    assert shown == {"p": ["p__a.md", "b.md"], "q": ["q__a.md"], None: ["a.md", "x__a.md"]}

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.conversations import ANY_TEXT, conversations

from triptych.formats.conversation import native_conversation
from triptych.formats.notebook.applying import apply_edits
from triptych.formats.notebook.edits import read_edits
from triptych.formats.notebook.reading import parse_page
from triptych.formats.notebook.render import render_page
from triptych.formats.paths import active_path
from triptych.formats.plan import plan_import
from triptych.formats.read import read
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage, message_text
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart
from triptych.model.status import STREAMING
from triptych.ports.conversations import StoredConversation
from triptych.repository import Repository

replace = msgspec.structs.replace


def text(words):
    return (TextPart(text=words),)


def talk(head="d"):
    return native_conversation(
        Conversation(id="c", title="Old", head_id=head),
        [
            UserMessage(id="a", parts=text("question one")),
            AssistantMessage(id="b", parent_id="a", parts=text("answer one")),
            UserMessage(id="c", parent_id="b", parts=text("question two")),
            AssistantMessage(id="d", parent_id="c", parts=text("answer two"), model="m"),
            AssistantMessage(id="e", parent_id="c", parts=text("another answer")),
        ],
    )


def applied(stored, edits):
    head = edits.head_id or stored.conversation.head_id
    title = stored.conversation.title if edits.title is None else edits.title
    gone = set(edits.removed)
    return replace(
        stored,
        messages=tuple(one for one in (*stored.messages, *edits.added) if one.id not in gone),
        conversation=replace(stored.conversation, head_id=head, title=title),
    )


def shown(stored):
    return [message_text(message) for message in active_path(stored)]


def test_an_untouched_file_asks_for_nothing():
    assert read_edits(render_page(talk()), talk()).empty


@given(conversations())
@settings(max_examples=40, deadline=None)
def test_no_untouched_file_asks_for_anything(stored):
    edits = read_edits(render_page(stored), stored)
    assert edits.empty
    assert not edits.conflicts
    assert edits.head_id is None


def test_an_edited_answer_becomes_a_sibling_and_the_head():
    stored = talk()
    edits = read_edits(render_page(stored).replace("answer two", "answer 2"), stored)
    (added,) = edits.added
    assert (added.parent_id, message_text(added), added.model) == ("c", "answer 2", "m")
    assert edits.instead_of == {added.id: "d"}
    assert edits.head_id == added.id
    assert not edits.removed
    assert not edits.conflicts


def test_an_edit_in_the_middle_takes_what_follows_along():
    stored = talk()
    now = applied(stored, read_edits(render_page(stored).replace("answer one", "answer 1"), stored))
    assert shown(now) == ["question one", "answer 1", "question two", "answer two"]
    assert now.messages[:5] == stored.messages


def test_reading_the_same_file_twice_changes_nothing_more():
    stored = talk()
    file = render_page(stored).replace("answer one", "answer 1") + "\n## You\n\nthanks\n"
    now = applied(stored, read_edits(file, stored))
    assert read_edits(file, now).empty


def test_a_message_typed_at_the_end_continues_the_conversation():
    stored = replace(talk(), messages=talk().messages[:4])
    now = applied(
        stored, read_edits(render_page(stored) + "\n## You\n\nAnd now?\n\n## Assistant\nNothing.", stored)
    )
    assert shown(now)[-3:] == ["answer two", "And now?", "Nothing."]


def test_a_message_typed_between_two_stands_between_them():
    stored = talk()
    file = render_page(stored).replace("## Assistant · m", "## You\n\nwait\n\n## Assistant · m")
    now = applied(stored, read_edits(file, stored))
    assert shown(now) == ["question one", "answer one", "question two", "wait", "answer two"]


def test_results_go_along_with_an_edited_call():
    call = ToolCallPart(call_id="1", name="find")
    stored = native_conversation(
        Conversation(id="c", head_id="d"),
        [
            UserMessage(id="a", parts=text("q")),
            AssistantMessage(id="b", parent_id="a", parts=(*text("looking"), call)),
            ToolMessage(id="t", parent_id="b", parts=(ToolResultPart(call_id="1", content=text("found")),)),
            AssistantMessage(id="d", parent_id="b", parts=text("done")),
        ],
    )
    edits = read_edits(render_page(stored).replace("looking", "searching"), stored)
    b, t, d = edits.added
    assert (b.parent_id, t.parent_id, d.parent_id) == ("a", b.id, b.id)
    assert edits.head_id == d.id


def test_a_deleted_message_is_named():
    stored = talk()
    lines = render_page(stored).split("\n## ")
    file = "\n## ".join(line for line in lines if "answer two" not in line)
    assert read_edits(file, stored).removed == ("d",)


def test_a_new_title_in_the_front_matter_is_taken():
    assert read_edits(render_page(talk()).replace('title: "Old"', "title: New"), talk()).title == "New"


def test_other_peoples_keys_and_a_preamble_survive_the_next_writing():
    stored = talk()
    file = render_page(stored)
    edited = file.replace("tags:\n", "aliases: [x]   # mine\ntags:\n  - garden\n").replace(
        "---\n\n## You", "---\n\nMy notes.\n\n## You", 1
    )
    again = render_page(stored, previous=edited)
    assert again == edited


def test_what_both_have_changed_stays_twice():
    stored = talk()
    file = render_page(stored).replace("answer two", "by hand")
    now = replace(
        stored,
        messages=tuple(replace(m, parts=text("by the store")) if m.id == "d" else m for m in stored.messages),
    )
    edits = read_edits(file, now)
    assert [message_text(m) for m in edits.added] == ["by hand"]
    assert [(one.message, one.kept) for one in edits.conflicts] == [("d", edits.added[0].id)]


def test_what_only_the_store_has_changed_is_no_edit():
    stored = talk()
    now = replace(
        stored,
        messages=(
            *(replace(m, parts=text("changed")) if m.id == "d" else m for m in stored.messages),
            UserMessage(id="f", parent_id="d", parts=text("more")),
        ),
    )
    edits = read_edits(render_page(stored), now)
    assert edits.empty
    assert not edits.conflicts


def test_a_reply_that_was_still_being_written_is_no_edit():
    half = replace(talk().messages[3], parts=text("answer"), status=STREAMING)
    early = replace(talk(), messages=(*talk().messages[:3], half, talk().messages[4]))
    edits = read_edits(render_page(early), talk())
    assert edits.empty
    assert not edits.conflicts


def test_what_the_store_has_deleted_is_not_brought_back():
    stored = talk()
    now = replace(stored, messages=stored.messages[:4])
    edits = read_edits(render_page(stored), now)
    assert not edits.added
    assert [one.message for one in edits.conflicts] == ["e"]


def test_a_file_of_another_conversation_changes_nothing():
    other = replace(talk(), conversation=Conversation(id="x"))
    edits = read_edits(render_page(other), talk())
    assert edits.empty
    assert edits.conflicts


def test_an_emptied_file_deletes_nothing():
    assert read_edits("", talk()).empty


SAFE = ANY_TEXT.map(lambda words: "x" + words + "x")


@given(SAFE, st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_any_edit_of_prose_is_what_is_shown_afterwards(words, place):
    stored = talk()
    said = ["question one", "answer one", "question two", "answer two"]
    page = render_page(stored)
    file = page.replace(said[place], words)
    now = applied(stored, read_edits(file, stored))
    kept = "\n".join(message_text(m) for m in now.messages) + "\n" + str([m.parts for m in now.messages])
    for line in words.replace("\r", "\n").split("\n"):
        if (
            line.strip()
            and not line.strip().startswith(("#", "`", "<", "\\", "&"))
            and "<!--" not in words
            and "&" not in words
        ):
            assert line.strip() in kept
    assert now.messages[:5] == stored.messages
    assert parse_page(file).messages


def test_the_digests_of_sources_stand_in_the_file():
    page = render_page(talk(), sources={"a": {"note:x.md": "b2:00"}})
    assert parse_page(page).sections[0].note["sources"] == {"note:x.md": "b2:00"}


def opened(stored):
    return Repository.load(stored.conversation, stored.messages, ())[0]


def shown_by(repository):
    return [message_text(message) for message in repository.path()]


def test_the_repository_reads_as_the_person_left_the_file():
    repository = opened(talk())
    file = render_page(talk()).replace("answer one", "answer 1").replace('title: "Old"', 'title: "New"')
    file = file.replace("## Assistant · m", "## You\n\nwait\n\n## Assistant · m")
    changes = apply_edits(repository, read_edits(file, talk()), 7)
    assert changes
    assert shown_by(repository) == ["question one", "answer 1", "question two", "wait", "answer two"]
    assert repository.conversation.title == "New"
    assert repository.get("b") == talk().messages[1] or message_text(repository.get("b")) == "answer one"
    stored = native_conversation(repository.conversation, repository.messages)
    assert read_edits(render_page(stored), stored).empty
    assert read_edits(file, stored).added == ()


def test_a_deleted_message_is_taken_out_alone():
    repository = opened(talk())
    file = "\n## ".join(one for one in render_page(talk()).split("\n## ") if "answer one" not in one)
    apply_edits(repository, read_edits(file, talk()), 7)
    assert shown_by(repository) == ["question one", "question two", "answer two"]


def test_nothing_changed_is_no_change():
    assert apply_edits(opened(talk()), read_edits(render_page(talk()), talk()), 7) == ()


@given(conversations(roots=False), st.data())
@settings(max_examples=40, deadline=None)
def test_any_mangled_file_can_be_applied(stored, data):
    lines = render_page(stored).split("\n")
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines)))
        if data.draw(st.booleans()):
            lines[place:place] = [data.draw(ANY_TEXT)]
        else:
            lines[place : place + data.draw(st.integers(1, 5))] = []
    repository = opened(stored)
    before = {message.id for message in repository.messages if not isinstance(message, ToolMessage)}
    edits = read_edits("\n".join(lines), native_conversation(repository.conversation, repository.messages))
    apply_edits(repository, edits, 7)
    assert before - set(edits.removed) <= {message.id for message in repository.messages}


def test_importing_an_edited_file_adds_the_hands_words_to_the_stored_ones():
    file = render_page(talk()).replace("answer one", "answer 1").encode()
    (imported,), _ = read(file, name="x.md")
    assert shown(imported) == ["question one", "answer 1", "question two", "answer two"]
    assert "answer one" not in [message_text(message) for message in imported.messages]
    stored = StoredConversation(conversation=talk().conversation, messages=talk().messages)
    plan = plan_import(imported, stored)
    assert [message_text(message) for message in plan.added] == ["answer 1", "question two", "answer two"]
    assert not plan.diagnostics
    (again,), _ = read(file, name="x.md")
    assert again.messages == imported.messages


@given(conversations())
@settings(max_examples=30, deadline=None)
def test_importing_an_untouched_file_gives_what_was_written(stored):
    (imported,), _ = read(render_page(stored).encode(), format_name="notebook")
    assert (imported.conversation, imported.messages) == (stored.conversation, stored.messages)


def test_a_slip_in_the_front_matter_does_not_lose_the_record():
    file = render_page(talk()).replace("tags:", "mine: a: b\ttags:")
    assert parse_page(file).written == talk().conversation
    assert read_edits(file, talk()).empty


def test_a_character_that_nothing_can_hold_is_no_message_more():
    file = render_page(talk()).replace(
        "## You\n<!--triptych message {", '## Y\n<!--triptych message {"x":"\x00",', 1
    )
    assert len(parse_page(render_page(talk(), previous=file)).messages) == 5


def test_a_broken_link_in_a_record_does_not_stand_over_the_right_one():
    file = render_page(talk()).replace('"id":"d","parentId":"c"', '"id":"x","parentId":{"n":4}')
    repository = opened(talk())
    apply_edits(repository, read_edits(file, talk()), 7)
    stored = native_conversation(repository.conversation, repository.messages)
    assert parse_page(render_page(stored)).messages == stored.messages

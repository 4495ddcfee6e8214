"""What a small window does: epochs, their library, and what the person is told."""

import itertools

import msgspec
import pytest

from triptych.cli.pipe.turns import handle
from triptych.errors import UsageError
from triptych.model.conversations import Project
from triptych.model.messages import message_text
from triptych.model.references import NoteReference, SelectionReference, WebTabReference
from triptych.testing.scripted import SCRIPTED, ScriptedProvider

pytestmark = pytest.mark.anyio
LONG = "word " * 200


@pytest.fixture
def window():
    return 512 + 2_000


@pytest.fixture
def provider(window):
    profile = msgspec.structs.replace(SCRIPTED, window=window)
    return ScriptedProvider(default=LONG, profile=profile)


async def ask(chat, conversation, *references, text="and?"):
    turn = await chat.send(conversation.id, text, references)
    await chat.finished(conversation.id)
    return (await chat.open(conversation.id)).envelopes(turn.user_id)[-1]


def library(envelope):
    return {one.key: one.form for one in envelope.layers[1].segments}


async def test_an_attached_body_whose_carrier_leaves_goes_into_the_library_once(chat, provider):
    conversation = await chat.create()
    seen = [await ask(chat, conversation, NoteReference(path="launch.md")) for _ in range(14)]
    epochs = [one.epoch for one in seen]
    assert max(epochs) >= 2
    for before, after in itertools.pairwise(seen):
        if after.epoch == before.epoch:
            assert after.layers[1] == before.layers[1]
        else:
            assert library(after) == {"note:launch.md": "full"}
            assert [one.form for one in after.layers[2].segments] == ["kept"]
    for request in provider.requests:
        whole = "\n".join(message_text(message) for message in request.messages)
        assert whole.count("The launch date is 4 May.") == 1


async def test_a_turn_that_stays_keeps_the_body_that_it_refers_to(chat, provider):
    conversation = await chat.create()
    for _ in range(6):
        await ask(chat, conversation, NoteReference(path="launch.md"))
    seen = [await ask(chat, conversation) for _ in range(6)]
    first = next(one for one in seen if one.epoch > 0)
    assert library(first) == {"note:launch.md": "full"}
    whole = "\n".join(message_text(message) for message in provider.requests[6 + seen.index(first)].messages)
    assert "<unchanged>launch.md</unchanged>" in whole
    assert whole.count("The launch date is 4 May.") == 1


async def test_the_person_is_told_what_leaves(chat):
    conversation = await chat.create()
    await ask(chat, conversation, NoteReference(path="crew.md"))
    for _ in range(5):
        await ask(chat, conversation)
    preview = await chat.preview(conversation.id, "more " * 400)
    told = {one.code: one for one in preview.diagnostics}
    assert told["turns_left"].detail["turns"] > 0
    assert told["sources_left"].detail["sources"] == ["crew"]
    assert preview.seen.first_difference.cause == "epoch"


async def test_a_selection_is_never_cut_in_silence(chat, provider):
    conversation = await chat.create()
    huge = SelectionReference(text=LONG * 10, path="book.md")
    with pytest.raises(UsageError, match=r"selected in book.md takes \d+ tokens"):
        await chat.send(conversation.id, "What is this?", [huge])
    assert provider.requests == []
    (kept,) = (await chat.open(conversation.id)).messages
    assert message_text(kept) == "What is this?"


async def test_notes_give_way_before_selections_and_pages_of_a_browser(chat, provider, vault):
    vault.files |= {"long.md": "A sentence of the long note. " * 400, "short.md": "Short."}
    conversation = await chat.create()
    chosen = SelectionReference(text="chosen words " * 100, path="book.md")
    page = WebTabReference(url="https://page.example", text="page words " * 100)
    notes = [NoteReference(path="long.md"), NoteReference(path="short.md")]
    preview = await chat.preview(conversation.id, "?", [*notes, chosen, page])
    cut = [one for one in preview.diagnostics if one.code == "source_cut"]
    assert [one.where for one in cut] == ["note:long.md"]
    assert cut[0].detail["given"] < cut[0].detail["asked"]
    await chat.send(conversation.id, "?", [*notes, chosen, page])
    text = message_text(provider.requests[-1].messages[-1])
    assert "chosen words " * 100 in text
    assert "page words " * 100 in text
    assert "Short." in text
    assert "long note.\n[cut here: " in text


async def test_a_shortened_note_stays_the_same_text_in_the_next_turn(chat, vault):
    vault.files["long.md"] = "A sentence of the long note. " * 400
    conversation = await chat.create()
    await ask(chat, conversation, NoteReference(path="long.md"), text="What?")
    after = await ask(chat, conversation, NoteReference(path="long.md"), text="And what else, please?")
    assert [one.form for one in (*after.layers[1].segments, *after.layers[2].segments)] == ["kept"]


def test_the_library_layout_puts_earlier_notes_into_the_system_text_and_says_so():
    turns = [
        {"put": {}, "attach": ["a.md"], "question": "one", "reply": "r"},
        {"put": {"a.md": "New body of a."}, "attach": ["a.md"], "question": "two", "reply": "r"},
        {"put": {}, "attach": ["a.md"], "question": "three", "reply": "r"},
        {"put": {}, "attach": ["a.md"], "question": "four", "reply": "r"},
    ]
    out = handle({"system": "", "notes": {"a.md": "Old."}, "turns": turns, "layout": "library"})
    first, second, third, fourth = out["requests"]
    assert [message["role"] for message in first] == ["user"]
    assert "Old." in second[0]["content"]
    assert "New body of a." in second[-1]["content"]
    assert "New body of a." in third[0]["content"]
    assert "Old." not in third[0]["content"]
    assert third[1] == {"role": "user", "content": "one"}
    assert third[-1]["content"] == "<unchanged>a.md</unchanged>\n\nthree"
    assert fourth[0] == third[0]
    assert out["forecast"][2]["firstDifference"]["cause"] == "library"
    assert out["forecast"][2]["firstDifference"]["layer"] == "previous"


async def test_in_the_library_layout_a_selection_stays_with_its_turn(make_chat, provider):
    chat = make_chat(layout="library")
    conversation = await chat.create()
    await ask(chat, conversation, SelectionReference(text="chosen words", path="book.md"), text="one")
    await ask(chat, conversation, text="two")
    request = provider.requests[-1].messages
    assert "chosen words" in message_text(request[1])
    assert message_text(request[1]).endswith("\n\none")
    assert "chosen words" not in message_text(request[0])


async def test_in_the_library_layout_a_page_of_a_browser_stays_with_its_turn_and_so_do_its_changes(
    make_chat, provider
):
    chat = make_chat(layout="library")
    conversation = await chat.create()
    lines = [f"Line {n} of the page." for n in range(9)]
    for words in (lines, [*lines, "A new line."], [*lines, "A new line."]):
        page = WebTabReference(url="https://page.example", text="\n".join(words))
        await ask(chat, conversation, page)
    *history, last = [message_text(message) for message in provider.requests[-1].messages]
    assert "Line 8 of the page." in history[1]
    assert "<new>" in history[3]
    assert "A new line." in history[3]
    assert last.startswith("<unchanged>https://page.example</unchanged>")


async def test_a_conversation_may_go_on_in_the_other_layout(make_chat, provider):
    chat = make_chat()
    conversation = await chat.create()
    await ask(chat, conversation, NoteReference(path="launch.md"))
    for layout in ("library", "append", "library"):
        chat = make_chat(layout=layout)
        await ask(chat, conversation, NoteReference(path="launch.md"))
        whole = "\n".join(message_text(message) for message in provider.requests[-1].messages)
        assert whole.count("The launch date is 4 May.") == 1
        assert (await chat.inspect(conversation.id)).seen.first_difference.cause == "layout"


def test_another_layout_is_refused(make_chat):
    with pytest.raises(UsageError, match="append or library"):
        make_chat(layout="sideways")


async def test_directives_stand_behind_the_words_and_stay_with_the_message(chat, provider):
    conversation = await chat.create()
    turn = await chat.send(conversation.id, "one", directives=["answer in <French>"], dated=True)
    await chat.finished(conversation.id)
    said = message_text(provider.requests[-1].messages[-1])
    first, language, day = said.split("\n\n")
    assert (first, language) == ("one", "<directive>answer in &lt;French&gt;</directive>")
    assert day.startswith(("<directive>Today is 19", "<directive>Today is 20"))
    await chat.edit(conversation.id, turn.user_id, "two")
    await chat.finished(conversation.id)
    assert message_text(provider.requests[-1].messages[-1]) == said.replace("one", "two", 1)
    envelope = await ask(chat, conversation)
    assert message_text(provider.requests[-1].messages[1]) == said.replace("one", "two", 1)
    assert [one.kind for one in envelope.layers[-1].segments] == ["user"]
    heads = {message_text(request.messages[0]) for request in provider.requests}
    assert len(heads) == 1


async def test_more_notes_than_there_is_room_for_are_left_out_whole_and_named(chat, provider, vault):
    names = [f"small/{n:03}.md" for n in range(400)]
    vault.files |= {name: f"The little note {name} says one thing." for name in names}
    conversation = await chat.create()
    turn = [NoteReference(path=name) for name in names]
    preview = await chat.preview(conversation.id, "What do they say?", turn)
    assert preview.tokens <= preview.window - preview.reserve
    told = {one.code: one for one in preview.diagnostics}
    left = told["sources_without_room"].detail["sources"]
    assert left[-1] == "399"
    await chat.send(conversation.id, "What do they say?", turn)
    text = message_text(provider.requests[-1].messages[-1])
    assert f"no room for {len(left)} of the attached sources" in text
    assert text.count("<note_context>") == 400 - len(left) > 10


async def test_a_project_larger_than_the_window_is_cut_to_the_same_text_in_every_turn(
    make_chat, provider, vault
):
    chat = make_chat()
    vault.files |= {f"book/{n:02}.md": f"Chapter {n} of the book. " * 200 for n in range(30)}
    await chat.put_project(Project(id="book", instructions="Speak of the book.", include=("book/",)))
    conversation = await chat.create("book")
    preview = await chat.preview(conversation.id, "What is it about?")
    assert preview.tokens <= preview.window - preview.reserve
    assert {one.code for one in preview.diagnostics} == {"source_cut"}
    for words in ("What is it about?", "And " + "then " * 40, "Thanks"):
        await chat.send(conversation.id, words)
        await chat.finished(conversation.id)
    systems = {message_text(request.messages[0]) for request in provider.requests}
    assert len(systems) == 1
    assert "<path>book/29.md</path>" in systems.pop()
    chapter = await chat.preview(conversation.id, "Read on", [NoteReference(path="book/03.md")])
    assert chapter.tokens <= chapter.window - chapter.reserve
    await chat.close()

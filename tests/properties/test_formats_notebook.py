"""The laws of our Markdown: equal after a round trip, and no word of a hand is lost."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.conversations import ANY_TEXT, conversations
from tests.model.strategies import MESSAGE

from triptych.formats.notebook.escape import escape_text, escape_verbatim, unescape_text, unescape_verbatim
from triptych.formats.notebook.reading import parse_page, read_page
from triptych.formats.notebook.render import render_page, write_page
from triptych.model import messages as m
from triptych.model.parts import ReasoningPart, TextPart

PROSE = st.builds(
    m.UserMessage,
    id=st.just("x"),
    parts=st.lists(ANY_TEXT, max_size=3).map(lambda texts: tuple(TextPart(text=t) for t in texts)),
) | st.builds(
    m.AssistantMessage,
    id=st.just("x"),
    parts=st.lists(
        st.builds(TextPart, text=ANY_TEXT) | st.builds(ReasoningPart, text=ANY_TEXT), max_size=3
    ).map(tuple),
)


@given(ANY_TEXT)
@settings(max_examples=1000, deadline=None)
def test_any_text_comes_back_from_its_escaped_form(text):
    assert unescape_verbatim(escape_verbatim(text)) == text
    assert unescape_text(escape_text(text)) == text
    assert "\r" not in escape_text(text)


@given(conversations(message=MESSAGE | PROSE))
@settings(max_examples=150, deadline=None)
def test_any_conversation_written_and_read_back_is_equal(imported):
    again = read_page(write_page(imported).data)
    assert again.conversation == imported.conversation
    assert again.messages == imported.messages
    assert not again.diagnostics


@given(conversations(message=PROSE))
@settings(max_examples=80, deadline=None)
def test_writing_what_was_read_gives_the_same_bytes(imported):
    data = write_page(imported).data
    assert write_page(read_page(data)).data == data


@given(conversations(message=MESSAGE | PROSE))
@settings(max_examples=50, deadline=None)
def test_an_editor_that_writes_crlf_changes_nothing(imported):
    data = write_page(imported).data
    again = read_page(data.replace(b"\n", b"\r\n"))
    assert (again.conversation, again.messages) == (imported.conversation, imported.messages)


def everything(page):
    kept = [page.sheet.preamble, *(page.sheet.front.lines if page.sheet.front else ())]
    kept += [msgspec.json.encode(message).decode() for message in page.messages]
    return "\n".join(kept)


@given(conversations(message=PROSE), st.data())
@settings(max_examples=150, deadline=None)
def test_a_line_typed_anywhere_is_kept(imported, data):
    lines = render_page(imported).split("\n")
    place = data.draw(st.integers(0, len(lines)))
    page = parse_page("\n".join([*lines[:place], "HANDWRITTEN", *lines[place:]]))
    assert "HANDWRITTEN" in everything(page)


@given(conversations(message=PROSE), st.data())
@settings(max_examples=150, deadline=None)
def test_letters_typed_into_any_line_are_kept(imported, data):
    text = render_page(imported)
    start = text.find("\n---\n") + 5
    place = data.draw(st.integers(start, len(text)))
    page = parse_page(text[:place] + "HANDWRITTEN" + text[place:])
    line = text[text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
    if not line.startswith(("## ", "<!--triptych message", "```")):
        assert "HANDWRITTEN" in everything(page)


@given(st.text() | ANY_TEXT | st.lists(ANY_TEXT, max_size=8).map("\n".join))
@settings(max_examples=500, deadline=None)
def test_any_text_is_read(text):
    page = parse_page(text)
    assert len(page.messages) == len(page.sheet.sections)

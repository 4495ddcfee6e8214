"""What is stored is seen: pictures, favourites, councils, what is asked of an answer, what stands in no row."""

from __future__ import annotations

import struct
import zlib

import pytest
from playwright.sync_api import Page, expect
from tests.e2e.conftest import watched
from tests.e2e.house import open_house
from tests.e2e.test_page import questions, replies, send, settled, violations

from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.origins import Council, Task
from triptych.model.parts import SourcePart, TextPart, ToolCallPart, ToolResultPart
from triptych.model.status import Complete
from triptych.repository import Repository

pytestmark = pytest.mark.browser


def said(kind, name, parent, text, **more):
    return kind(id=name, parent_id=parent, parts=(TextPart(text=text),), **more)


def council() -> Repository:
    call = ToolCallPart(call_id="k", name="ask_advisers", arguments="{}")
    asked = ToolResultPart(call_id="k", content=(TextPart(text="asked"),))
    messages = [
        said(UserMessage, "u", None, "Which day?"),
        AssistantMessage(id="a", parent_id="u", parts=(call,), status=Complete(reason="toolCalls")),
        ToolMessage(id="t", parent_id="a", parts=(asked,), metadata={"agentCouncil": True}),
        said(AssistantMessage, "m1", "t", "Saturday, for the wind.", agent_id="Captain"),
        said(AssistantMessage, "m2", "t", "Sunday, for the tide.", agent_id="Pilot"),
    ]
    return Repository.load(Conversation(id="council", title="Council", head_id="m2"), messages)[0]


def columns() -> Repository:
    messages = [
        said(UserMessage, "u", None, "Name the boat.", metadata={"compare": True}),
        said(AssistantMessage, "c1", "u", "Heron.", model="small", metadata={"activeColumn": True}),
        said(AssistantMessage, "c2", "u", "Cormorant.", model="large"),
    ]
    return Repository.load(Conversation(id="columns", title="Columns", head_id="c1"), messages)[0]


def tasks() -> Repository:
    messages = [
        said(UserMessage, "u", None, "Prepare the launch."),
        said(AssistantMessage, "a", "u", "Two tasks are started."),
        said(AssistantMessage, "t1", "a", "In the blue folder.", origin=Task(title="Find the permit")),
        said(AssistantMessage, "t2", "a", "Two bottles.", origin=Task(title="Count the helium")),
        said(AssistantMessage, "b", "a", "All is ready."),
    ]
    return Repository.load(Conversation(id="tasks", title="Tasks", head_id="b"), messages)[0]


def advisers() -> Repository:
    member = {"origin": Council(), "group_id": "g"}
    messages = [
        said(UserMessage, "u", None, "Which day?"),
        said(AssistantMessage, "a", "u", "I ask two advisers."),
        said(AssistantMessage, "m1", "a", "Saturday.", agent_id="Captain", **member),
        said(AssistantMessage, "m2", "a", "Sunday.", agent_id="Pilot", **member),
    ]
    return Repository.load(Conversation(id="advisers", title="Advisers", head_id="m2"), messages)[0]


def side_thread() -> Repository:
    messages = [
        said(UserMessage, "u", None, "The main thing"),
        said(AssistantMessage, "a", "u", "is said here."),
        said(UserMessage, "s", "a", "By the way?", thread_id="th"),
        said(AssistantMessage, "r", "s", "Aside.", thread_id="th"),
    ]
    return Repository.load(Conversation(id="aside", title="Aside", head_id="a"), messages)[0]


def quoted() -> Repository:
    source = SourcePart(
        path="Balloon launch.md", quote="It goes up from the [[Meadow by the sea|meadow]], near [[Heron]]."
    )
    reply = AssistantMessage(id="a", parent_id="u", parts=(TextPart(text="From the meadow."), source))
    messages = [said(UserMessage, "u", None, "From where?"), reply]
    return Repository.load(Conversation(id="quoted", title="Quoted", head_id="a"), messages)[0]


@pytest.fixture(scope="module")
def crowd():
    with open_house(
        repositories=(council(), columns(), tasks(), advisers(), side_thread(), quoted())
    ) as opened:
        yield opened


@pytest.fixture(params=["light", "dark"])
def crowded(browser, crowd, request):
    with watched(browser, crowd.address, color_scheme=request.param) as opened:
        yield opened


def opened(page: Page, crowd, name: str) -> None:
    page.goto(f"{crowd.address}/c/{name}")
    expect(page.locator("article").last).to_be_visible()


def test_every_member_of_a_council_is_heard_under_its_name(crowded, crowd):
    opened(crowded, crowd, "council")
    members = crowded.get_by_role("group", name="Council").locator(".column")
    expect(members).to_have_count(2)
    expect(members.nth(0)).to_contain_text("Captain")
    expect(members.nth(0)).to_contain_text("Saturday, for the wind.")
    expect(members.nth(1)).to_contain_text("Pilot")
    assert violations(crowded) == []


def test_members_that_stand_below_each_other_have_names_and_no_arrows_that_lead_nowhere(crowded, crowd):
    opened(crowded, crowd, "advisers")
    expect(replies(crowded).filter(has_text="Sunday.")).to_contain_text("Pilot")
    expect(crowded.locator(".branch")).to_have_count(0)


def test_columns_say_whose_they_are_and_which_one_goes_on(crowded, crowd):
    opened(crowded, crowd, "columns")
    both = crowded.get_by_role("group", name="Answers side by side").first.locator(".column")
    expect(both.nth(0)).to_contain_text("small")
    expect(both.nth(0)).to_contain_text("goes on from here")
    expect(both.nth(1)).to_contain_text("large")
    expect(both.nth(1)).not_to_contain_text("goes on")
    row = replies(crowded)
    row.hover()
    expect(row.get_by_role("button")).to_have_count(1)
    row.get_by_role("button", name="Copy").click()
    expect(crowded.get_by_text("Copied")).to_be_attached()
    assert crowded.evaluate("navigator.clipboard.readText()") == "Heron.\n\nCormorant."
    assert violations(crowded) == []


def test_a_task_says_what_it_is(crowded, crowd):
    opened(crowded, crowd, "tasks")
    expect(crowded.locator(".column").first).to_contain_text("Find the permit")
    expect(crowded.locator(".column").last).to_contain_text("Count the helium")


def test_messages_in_no_row_are_counted_with_the_reason(crowded, crowd):
    opened(crowded, crowd, "aside")
    expect(crowded.get_by_text("Aside.", exact=True)).to_have_count(0)
    crowded.get_by_text("2 messages are not in this view").click()
    expect(crowded.locator(".not-shown li")).to_have_text(["2 in side threads"])
    assert violations(crowded) == []


def test_a_quoted_sentence_is_read_without_the_marks_of_its_links(crowded, crowd):
    opened(crowded, crowd, "quoted")
    expect(crowded.locator("blockquote")).to_have_text("It goes up from the meadow, near Heron.")


def test_a_project_needs_a_name(page):
    page.get_by_role("button", name="New project").click()
    add = page.get_by_role("button", name="Add", exact=True)
    expect(add).to_be_disabled()
    page.get_by_label("Name of the project").fill("Boats")
    add.click()
    expect(page.get_by_label("Project", exact=True).locator("option:checked")).to_have_text("Boats")
    page.get_by_label("Project", exact=True).select_option("default")


def test_other_versions_need_no_count_for_the_arrows_show_them(page):
    send(page, "first wording")
    settled(page)
    replies(page).hover()
    replies(page).get_by_role("button", name="Answer again").click()
    expect(replies(page).locator(".branch")).to_contain_text("2/2")
    settled(page)
    expect(page.locator(".not-shown")).to_have_count(0)


def test_a_favourite_is_marked_with_the_keyboard_and_stays_marked(page):
    send(page, "Where is the meadow?")
    settled(page)
    for speaker in (questions(page), replies(page)):
        star = speaker.get_by_role("button", name="Favourite")
        expect(star).to_have_attribute("aria-pressed", "false")
        star.focus()
        page.keyboard.press("Enter")
        expect(star).to_have_attribute("aria-pressed", "true")
    page.reload()
    star = replies(page).get_by_role("button", name="Favourite")
    expect(star).to_have_attribute("aria-pressed", "true")
    assert violations(page) == []
    star.click()
    expect(star).to_have_attribute("aria-pressed", "false")
    expect(questions(page).get_by_role("button", name="Favourite")).to_have_attribute("aria-pressed", "true")


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    lines = b"".join(b"\x00" + b"\x2b\x6b\x60" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def test_a_stored_picture_is_drawn_even_when_its_file_is_gone(page, house):
    (house.notes / "slip.png").write_bytes(png(120, 60))
    name = page.request.post(f"{house.address}/api/conversations", data={}).json()["id"]
    said = {"text": "What is this?", "references": [{"kind": "image", "path": "slip.png"}]}
    sent = page.request.post(f"{house.address}/api/conversations/{name}/messages", data=said)
    assert sent.ok, sent.text()
    (house.notes / "slip.png").unlink()
    page.goto(f"{house.address}/c/{name}")
    picture = questions(page).get_by_role("img", name="slip.png")
    expect(picture).to_have_js_property("naturalWidth", 120)
    expect(picture).to_be_visible()
    settled(page)
    assert violations(page) == []


def test_a_language_and_the_date_are_asked_of_each_answer(page, house):
    page.get_by_role("button", name="How to answer").click()
    wish = page.get_by_label("Asked of each answer")
    expect(wish).to_be_focused()
    wish.fill("Answer in Welsh.")
    page.get_by_label("Tell today’s date").check()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(wish).to_have_count(0)
    expect(page.locator("#message")).to_be_focused()
    expect(page.get_by_role("button", name="How to answer: Answer in Welsh.; today’s date")).to_be_visible()
    page.fill("#message", "Where is the meadow?")
    page.get_by_role("button", name="What would be sent").click()
    panel = page.locator(".inspection")
    panel.get_by_text("Your words").last.click()
    expect(panel).to_contain_text("Answer in Welsh.")
    expect(panel).to_contain_text("Today is ")
    for turn in (0, 1):
        send(page, f"Where is the meadow? {turn}")
        expect(questions(page)).to_have_count(turn + 1)
        settled(page)
        expect(questions(page).nth(turn)).to_contain_text("Asked of the answer: Answer in Welsh. Today is")
        assert "Answer in Welsh." in str(house.provider.sent[-1].body)
    questions(page).last.hover()
    questions(page).last.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Edit your message")).to_have_value("Where is the meadow? 1")
    assert violations(page) == []


def test_on_a_phone_the_welcome_can_be_scrolled_to_its_first_word(browser, house):
    with watched(browser, house.address, has_touch=True, is_mobile=True) as page:
        page.set_viewport_size({"width": 360, "height": 640})
        page.goto(f"{house.address}/new")
        expect(page.locator(".begin li")).to_have_count(6)
        expect(page.locator(".word")).to_be_visible()
        page.get_by_role("heading", name="What would you like to know?").scroll_into_view_if_needed()
        expect(page.get_by_role("heading", name="What would you like to know?")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert violations(page) == []


def chats() -> tuple[Repository, ...]:
    """Enough conversations for the list to be searched; one of them speaks of a heron, another is called so."""
    texts = {f"c{number}": f"Something about knot {number}." for number in range(8)}
    texts |= {"bird": "The grey HERON stands below the weir.", "boat": "Is the varnish dry?"}
    titles = {"boat": "Heron, the boat"}
    return tuple(
        Repository.load(
            Conversation(id=name, title=titles.get(name, f"Talk {name}"), head_id="u", updated_at=place),
            [said(UserMessage, "u", None, text)],
        )[0]
        for place, (name, text) in enumerate(texts.items())
    )


def test_a_conversation_is_found_by_what_was_said_in_it(browser):
    with open_house(repositories=chats()) as house, watched(browser, house.address) as page:
        page.goto(f"{house.address}/new")
        links = page.locator(".list .item a")
        expect(links).to_have_count(10)
        page.get_by_role("searchbox", name="Search conversations").fill("heron")
        expect(links).to_have_text(["Heron, the boat", "Talk bird"])
        assert violations(page) == []
        page.get_by_role("searchbox").fill("a word that nobody wrote")
        expect(page.get_by_text("Nobody said this here.")).to_be_visible()
        page.get_by_role("searchbox").fill("below the weir")
        expect(links).to_have_text(["Talk bird"])
        links.first.click()
        expect(questions(page)).to_contain_text("The grey HERON")
        page.get_by_role("searchbox").fill("")
        expect(links).to_have_count(10)


def test_a_question_is_changed_without_an_answer_and_a_reply_is_corrected(page):
    send(page, "where is the kettle")
    settled(page)
    questions(page).hover()
    questions(page).get_by_role("button", name="Edit").click()
    page.get_by_label("Edit your message").fill("where is the pan")
    page.get_by_role("button", name="Keep without an answer").click()
    expect(questions(page)).to_contain_text("where is the pan")
    expect(questions(page).locator(".branch")).to_contain_text("2/2")
    expect(replies(page)).to_have_count(0)
    page.get_by_role("button", name="Answer it").click()
    expect(replies(page)).to_contain_text("where is the pan")
    settled(page)
    replies(page).hover()
    replies(page).get_by_role("button", name="Edit").click()
    page.get_by_label("Edit this reply").fill("On the lower shelf.")
    assert violations(page) == []
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(replies(page)).to_contain_text("On the lower shelf.")
    expect(replies(page).locator(".branch")).to_contain_text("2/2")
    replies(page).get_by_role("button", name="Earlier version").click()
    expect(replies(page)).to_contain_text("where is the pan")

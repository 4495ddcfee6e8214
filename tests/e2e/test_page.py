"""What a person does, in a real browser over the real server; the model is a script."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from tests.e2e.conftest import watched
from tests.e2e.house import open_house
from tests.server.fake_chat import conversation_of

from triptych.model.conversations import Conversation
from triptych.model.ids import CallId, ConversationId, MessageId
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart
from triptych.model.status import Complete
from triptych.repository import Repository

pytestmark = pytest.mark.browser


def send(page: Page, text: str) -> None:
    page.fill("#message", text)
    page.keyboard.press("Enter")


def settled(page: Page) -> None:
    last = page.locator("article").last
    expect(last).to_have_class(re.compile("theirs"))
    expect(last).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def replies(page: Page):
    return page.locator("article.theirs")


def questions(page: Page):
    return page.locator("article.mine")


def attach(page: Page, letters: str, title: str) -> None:
    page.locator("#message").press_sequentially(f"@{letters}")
    expect(page.locator(".picker [role=option]").first).to_contain_text(title)
    page.keyboard.press("Enter")
    expect(page.locator(".chips .chip")).to_contain_text(title)


def test_what_is_asked_is_answered_and_stays_after_a_reload(page):
    send(page, "Where is the meadow?")
    expect(replies(page)).to_contain_text("You asked: where is the meadow?")
    settled(page)
    expect(page.locator(".item[data-open=true]")).to_contain_text("Where is the meadow?")
    page.reload()
    expect(questions(page)).to_contain_text("Where is the meadow?")
    expect(replies(page)).to_contain_text("You asked: where is the meadow?")


def test_a_reply_appears_while_it_is_written_and_stop_stops_it(page, house):
    send(page, "slow please")
    expect(replies(page)).to_contain_text("word20")
    page.get_by_role("button", name="Stop the reply").click()
    expect(page.locator(".ended")).to_contain_text("You stopped this reply.")
    settled(page)
    length = len(replies(page).inner_text())
    page.wait_for_timeout(200)
    assert len(replies(page).inner_text()) == length
    assert house.provider.stopped


def test_escape_stops_the_reply_wherever_the_focus_is(page):
    send(page, "slow please")
    expect(replies(page)).to_contain_text("word10")
    page.locator(".messages").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".ended")).to_contain_text("You stopped this reply.")


def test_an_edit_is_a_branch_and_the_arrows_go_between_them(page):
    send(page, "first wording")
    expect(replies(page)).to_contain_text("first wording")
    settled(page)
    questions(page).hover()
    questions(page).get_by_role("button", name="Edit").click()
    page.get_by_label("Edit your message").fill("second wording")
    page.keyboard.press("Enter")
    expect(replies(page)).to_contain_text("second wording")
    settled(page)
    expect(questions(page).locator(".branch")).to_contain_text("2/2")
    questions(page).get_by_role("button", name="Earlier version").click()
    expect(replies(page)).to_contain_text("first wording")
    expect(questions(page).locator(".branch")).to_contain_text("1/2")


def test_an_answer_again_is_a_branch_of_the_reply(page):
    send(page, "say it again")
    settled(page)
    for count in ("2/2", "3/3"):
        replies(page).hover()
        replies(page).get_by_role("button", name="Answer again").click()
        expect(replies(page).locator(".branch")).to_contain_text(count)
        settled(page)
    replies(page).get_by_role("button", name="Earlier version").click()
    expect(replies(page).locator(".branch")).to_contain_text("2/3")
    page.reload()
    expect(replies(page).locator(".branch")).to_contain_text("2/3")


def test_an_attached_note_is_read_and_its_sentence_stands_beside_the_answer(page, house):
    attach(page, "ball", "Balloon launch")
    expect(page.locator(".chips .chip.ready")).to_be_visible()
    assert house.provider.warmed
    send(page, "What is the launch date?")
    settled(page)
    expect(replies(page)).to_contain_text("14 May")
    source = page.locator(".sources")
    expect(source.locator("blockquote")).to_contain_text("launch date is 14 May 2027")
    sent = str(house.provider.sent[-1].body)
    assert "goes up from the [[Meadow by the lighthouse]]" in sent
    reply, beside = replies(page).locator(".body").bounding_box(), source.bounding_box()
    assert beside["x"] > reply["x"] + reply["width"]
    source.get_by_role("button").click()
    expect(page.locator(".note-panel")).to_contain_text("permit is in the blue folder")


def test_words_typed_while_a_note_is_being_attached_are_kept(page):
    page.route("**/api/conversations", lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.locator("#message").press_sequentially("@ball")
    expect(page.locator(".picker [role=option]").first).to_contain_text("Balloon launch")
    page.keyboard.press("Enter")
    page.keyboard.type("What is the launch date?")
    expect(page.locator(".chips .chip.ready")).to_be_visible()
    expect(page.locator("#message")).to_have_value("What is the launch date?")
    page.keyboard.press("Enter")
    settled(page)
    expect(questions(page)).to_have_count(1)
    expect(replies(page)).to_contain_text("14 May")
    page.unroute_all()


def test_links_and_pictures_of_a_note_work_in_the_third_panel(page):
    attach(page, "welc", "Welcome")
    page.locator(".chips .chip button").first.click()
    panel = page.locator(".note-panel")
    picture = panel.locator("img")
    expect(picture).to_be_visible()
    page.wait_for_function("document.querySelector('.note-panel img').naturalWidth > 0")
    panel.get_by_text("rowing boat").click()
    expect(panel.get_by_role("heading", name="Heron").first).to_be_visible()
    expect(panel.locator("table")).to_contain_text("Thwart")
    panel.get_by_role("button", name="Close the note").click()
    expect(panel).to_have_count(0)


def test_a_note_that_is_gone_is_said_and_the_turn_goes_on(page, house):
    (house.notes / "Passing.md").write_text("# Passing")
    attach(page, "pass", "Passing")
    expect(page.locator(".chips .chip.ready")).to_be_visible()
    (house.notes / "Passing.md").unlink()
    send(page, "what now")
    expect(replies(page)).to_contain_text("what now")
    expect(page.locator(".notices")).to_contain_text("Passing.md")


def test_what_a_model_is_given_can_be_seen_before_and_after_it_is_sent(page):
    attach(page, "ball", "Balloon launch")
    expect(page.locator(".chips .chip.ready")).to_be_visible()
    page.locator("#message").press_sequentially("What is the launch date?")
    page.get_by_role("button", name="What would be sent").click()
    panel = page.locator(".inspection")
    expect(panel.locator(".size")).to_contain_text("Your words")
    panel.locator("details", has_text="Attached in this turn").first.locator("summary").click()
    expect(panel).to_contain_text("permit is in the blue folder")
    expect(panel.locator(".segments", has_text="Balloon launch")).to_contain_text("in full")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    page.locator("#message").press("Enter")
    settled(page)
    replies(page).hover()
    replies(page).get_by_role("button", name="What the model was given").click()
    expect(panel.locator(".reuse")).to_contain_text("The first request of this conversation")
    assert violations(page) == []


def test_a_chat_of_another_program_is_read_from_a_chosen_file_and_opens(page, tmp_path):
    turns = [
        {"role": "user", "content": "Which way is north?"},
        {"role": "assistant", "content": "Up the path."},
    ]
    export = tmp_path / "walk.json"
    export.write_text(json.dumps({"messages": turns}))
    page.locator("input[type=file]").set_input_files(export)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 conversation with 2 messages")
    assert violations(page) == []
    dialog.get_by_role("button", name="Open it").click()
    expect(replies(page)).to_contain_text("Up the path.")


def test_a_failure_is_shown_and_can_be_tried_again(page):
    send(page, "please fail")
    expect(replies(page).locator(".notice.error")).to_contain_text("The model's server went away.")
    expect(replies(page)).to_contain_text("It began well")
    replies(page).get_by_role("button", name="Try again").click()
    expect(replies(page).locator(".branch")).to_contain_text("2/2")


def test_what_a_model_thought_folds_away(page):
    send(page, "think first")
    settled(page)
    thought = replies(page).locator("details")
    expect(thought.locator("summary")).to_contain_text("Thought")
    expect(thought.get_by_text("First the tide")).to_be_hidden()
    thought.locator("summary").click()
    expect(thought.get_by_text("First the tide")).to_be_visible()
    expect(replies(page)).to_contain_text("Go at seven.")


def test_nothing_that_a_model_or_a_note_says_ever_runs(page):
    attach(page, "atta", "Attack")
    send(page, "attack me")
    expect(replies(page)).to_contain_text("That was all.")
    settled(page)
    questions(page).locator(".chip").click()
    expect(page.locator(".note-panel")).to_contain_text("That was all.")
    for area in (replies(page), page.locator(".note-panel .markdown")):
        assert (
            area.locator(
                "script, iframe, svg:not(.icon), style, form, img, [onerror], [onclick], [onload]"
            ).count()
            == 0
        )
        assert [link for link in hrefs(area) if not link.startswith(("http://", "https://", "#"))] == []
        for link in area.locator("a:not(.wikilink)").all():
            assert "noopener" in link.get_attribute("rel")
        expect(area.locator("a.remote-picture")).to_have_attribute(
            "href", "https://elsewhere.example/pixel.png"
        )
    page.wait_for_timeout(100)
    assert page.evaluate("window.attacked") is None


def hrefs(area):
    return [link.get_attribute("href") for link in area.locator("a").all()]


def test_markdown_is_drawn_with_coloured_code_and_code_can_be_copied(page):
    send(page, "show me code")
    settled(page)
    reply = replies(page)
    expect(reply.locator("pre .hljs-keyword").first).to_have_text("def")
    expect(reply.locator("table")).to_contain_text("Saturday")
    reply.get_by_role("button", name="Copy", exact=True).first.click()
    expect(reply.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("def high_waters")


def test_conversations_are_renamed_filtered_by_project_and_deleted(page):
    send(page, "to be renamed")
    settled(page)
    item = page.locator(".item[data-open=true]")
    item.hover()
    item.get_by_role("button", name=re.compile("^Rename")).click()
    page.get_by_label("New title").fill("Another name")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Another name")
    page.get_by_role("button", name="New project").click()
    page.get_by_label("Name of the project").fill("Winter")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Project", exact=True)).to_contain_text("Winter")
    expect(page.locator(".item")).to_have_count(0)
    page.get_by_label("Project", exact=True).select_option("default")
    page.locator(".item", has_text="Another name").click()
    item = page.locator(".item[data-open=true]")
    item.hover()
    item.get_by_role("button", name=re.compile("^Delete")).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".item", has_text="Another name")).to_have_count(0)


def test_a_message_can_be_deleted_with_all_that_follows(page):
    send(page, "one")
    settled(page)
    send(page, "two")
    expect(replies(page)).to_have_count(2)
    settled(page)
    questions(page).nth(1).hover()
    questions(page).nth(1).get_by_role("button", name="Delete from here").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("article")).to_have_count(2)


def test_everything_works_with_the_keyboard_alone(page):
    page.keyboard.type("by keyboard")
    page.keyboard.press("Enter")
    expect(replies(page)).to_contain_text("by keyboard")
    settled(page)
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Edit your message")).to_be_focused()
    page.keyboard.type(" alone")
    page.keyboard.press("Enter")
    expect(replies(page)).to_contain_text("by keyboard alone")
    settled(page)
    focus(page, "Earlier version")
    page.keyboard.press("Enter")
    expect(questions(page).locator(".branch")).to_contain_text("1/2")
    page.keyboard.press("Alt+n")
    expect(page.get_by_role("heading", level=1)).to_have_text("New conversation")
    expect(page.locator("#message")).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_role("heading", level=1)).to_have_text("by keyboard")


def focus(page: Page, label: str) -> None:
    """Go there by the tab key, as somebody without a mouse does."""
    page.locator("body").press("Tab")
    for _ in range(80):
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == label:
            return
        page.keyboard.press("Tab")
    raise AssertionError(label)


def test_the_draft_is_kept_when_sending_fails(browser, house):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{house.address}/new")
    full = {
        "status": 503,
        "content_type": "application/problem+json",
        "body": '{"detail": "The disk is full."}',
    }
    page.route("**/messages", lambda route: route.fulfill(**full))
    send(page, "do not lose me")
    expect(page.get_by_role("alert")).to_contain_text("The disk is full.")
    expect(page.locator("#message")).to_have_value("do not lose me")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 390])
def test_axe_finds_nothing(browser, house, tmp_path, scheme, width):
    with watched(browser, house.address, color_scheme=scheme) as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{house.address}/new")
        page.wait_for_selector(".begin li")
        assert violations(page) == []
        page.screenshot(path=tmp_path / f"new-{scheme}-{width}.png")
        attach(page, "ball", "Balloon launch")
        send(page, "show me code")
        expect(replies(page)).to_contain_text("Check it")
        settled(page)
        page.locator("#message").press_sequentially("@")
        page.wait_for_selector(".picker [role=option]")
        assert violations(page) == []
        page.screenshot(path=tmp_path / f"picking-{scheme}-{width}.png")
        page.keyboard.press("Escape")
        questions(page).locator(".chip").click()
        page.wait_for_selector(".note-panel .markdown")
        assert violations(page) == []
        page.screenshot(path=tmp_path / f"note-{scheme}-{width}.png")
    print(f"pictures in {tmp_path}")


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


def test_the_theme_can_be_chosen_and_is_remembered(page):
    button = page.get_by_role("button", name=re.compile("Theme"))
    button.click()
    button.click()
    expect(button).to_have_accessible_name("Theme: dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    page.wait_for_selector("#message")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark == "rgb(24, 27, 28)"


def test_on_a_phone_the_list_is_a_drawer_and_nothing_is_wider_than_the_screen(browser, house):
    phone = {"has_touch": True, "is_mobile": True}
    with watched(browser, house.address, **phone) as page:
        page.set_viewport_size({"width": 360, "height": 640})
        page.goto(f"{house.address}/new")
        send(page, "show me code")
        expect(replies(page)).to_contain_text("Check it")
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        expect(page.locator(".sidebar")).to_be_hidden()
        page.get_by_role("button", name="Conversations", exact=True).tap()
        expect(page.locator(".sidebar")).to_be_visible()
        page.get_by_role("button", name="New conversation").tap()
        expect(page.locator(".sidebar")).to_be_hidden()
        expect(page.get_by_role("heading", level=1)).to_have_text("New conversation")


def tool_conversation() -> Repository:
    call = ToolCallPart(call_id=CallId("k"), name="tide_table", arguments='{"day": "Saturday"}')
    found = ToolResultPart(call_id=CallId("k"), content=(TextPart(text="07:10, 3.3 m"),))
    calling = AssistantMessage(id=MessageId("a"), parent_id=MessageId("u"), parts=(call,))
    messages = [
        UserMessage(id=MessageId("u"), parts=(TextPart(text="When is high water?"),)),
        msgspec.structs.replace(calling, status=Complete(reason="toolCalls")),
        ToolMessage(id=MessageId("t"), parent_id=MessageId("a"), parts=(found,)),
        AssistantMessage(
            id=MessageId("b"), parent_id=MessageId("a"), parts=(TextPart(text="At ten past seven."),)
        ),
    ]
    conversation = Conversation(id=ConversationId("tools"), title="Tools", head_id=MessageId("b"))
    return Repository.load(conversation, messages)[0]


def test_the_work_of_a_turn_folds_and_its_answer_stands_open(browser):
    with (
        open_house(repositories=(tool_conversation(),)) as house,
        watched(browser, house.address) as page,
    ):
        page.goto(f"{house.address}/c/tools")
        expect(page.locator("article")).to_have_count(2)
        expect(page.get_by_text("At ten past seven.")).to_be_visible()
        expect(page.get_by_text("07:10, 3.3 m")).to_be_hidden()
        page.get_by_text("Worked · 1 call").click()
        page.get_by_text("tide_table · done").click()
        expect(page.get_by_text("07:10, 3.3 m")).to_be_visible()
        assert violations(page) == []


def test_ten_thousand_messages_open_at_the_end_with_few_of_them_in_the_document(browser):
    with (
        open_house(repositories=(conversation_of(10_000),)) as house,
        watched(browser, house.address) as page,
    ):
        page.goto(f"{house.address}/c/long")
        expect(page.get_by_text("Message number 10000.")).to_be_in_viewport()
        assert page.locator("article").count() < 40
        took = page.evaluate("performance.now()")
        page.locator(".messages").focus()
        page.keyboard.press("Home")
        expect(page.get_by_text("Message number 1.", exact=True)).to_be_in_viewport()
        page.get_by_role("button", name="Go to the newest message").click()
        expect(page.get_by_text("Message number 10000.")).to_be_in_viewport()
        send(page, "one more")
        expect(replies(page).last).to_contain_text("one more", timeout=30_000)
        print(f"10,000 messages were there after {took:.0f} ms")


def test_the_oldest_turns_that_leave_the_window_are_said_on_screen(browser):
    with (
        open_house(window=3000, repositories=(conversation_of(200),)) as house,
        watched(browser, house.address) as page,
    ):
        page.goto(f"{house.address}/c/long")
        send(page, "still there?")
        expect(page.locator(".notices")).to_contain_text("oldest turns are not sent any more")


def test_a_second_page_on_the_same_conversation_sees_it_grow(browser, house, page):
    send(page, "for two")
    settled(page)
    with watched(browser, house.address) as other:
        other.goto(page.url)
        expect(replies(other)).to_contain_text("for two")
        send(page, "and more")
        expect(replies(other).nth(1)).to_contain_text("and more")


def test_an_unknown_conversation_is_said_plainly(browser, house):
    context = browser.new_context()
    other = context.new_page()
    other.goto(f"{house.address}/c/nowhere")
    expect(other.locator(".welcome")).to_contain_text("There is no such conversation.")
    context.close()


def test_the_picture_of_the_documentation_is_made_by_the_browser(browser, tmp_path):
    made = tmp_path / "page.png"
    command = [sys.executable, "-m", "tests.e2e.picture", str(made)]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], timeout=120)
    assert made.read_bytes().startswith(b"\x89PNG")

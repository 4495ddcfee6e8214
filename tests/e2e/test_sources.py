"""Asking all notes, looking into a request, dropping an export: in a real browser over the real server."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect
from tests.e2e.conftest import watched
from tests.e2e.test_page import attach, questions, replies, send, settled, violations

pytestmark = pytest.mark.browser

QUESTION = "When is high water on Saturday?"


def everywhere(page: Page):
    return page.get_by_role("button", name="Look through all notes")


def look_ahead(page: Page):
    page.get_by_role("button", name="What would be sent").click()
    panel = page.locator(".inspection")
    expect(panel).to_be_visible()
    return panel


def test_all_notes_are_asked_and_what_was_found_opens_at_its_lines(page):
    everywhere(page).click()
    expect(everywhere(page)).to_have_attribute("aria-pressed", "true")
    send(page, QUESTION)
    settled(page)
    expect(questions(page).locator(".chip")).to_contain_text("all notes")
    found = page.locator(".found li").filter(has_text="Tide table")
    expect(found).to_contain_text(re.compile(r"lines \d+–\d+"))
    found.get_by_role("button").click()
    expect(page.locator(".note-panel h2")).to_have_text("Tide table")
    expect(page.locator(".note-panel .pointed")).to_be_in_viewport()
    assert violations(page) == []
    expect(everywhere(page)).to_have_attribute("aria-pressed", "true")
    everywhere(page).click()
    send(page, "Only this")
    settled(page)
    expect(questions(page).last.locator(".chip")).to_have_count(0)


def test_an_edited_question_is_looked_for_in_its_new_words(page):
    everywhere(page).click()
    send(page, "zzzqqq")
    settled(page)
    expect(page.locator(".notices")).to_contain_text("Nothing in the notes was found")
    questions(page).hover()
    questions(page).get_by_role("button", name="Edit").click()
    page.get_by_label("Edit your message").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".sources")).to_contain_text("Tide table")


def test_each_source_says_how_it_went_in(page, house):
    notes = [house.notes / name for name in ("Stays.md", "Grows.md", "Goes.md", "Leaves.md")]
    for note in notes:
        note.write_text(
            f"# {note.stem}\n\n" + "".join(f"Boat {number} lies at the quay.\n" for number in range(60))
        )
        attach(page, note.stem, note.stem) if note is notes[0] else attach_more(page, note.stem)
    send(page, "Read these")
    settled(page)
    notes[1].write_text(notes[1].read_text() + "One line more.\n")
    notes[2].unlink()
    for note in notes[:2]:
        attach_more(page, note.stem)
    page.locator("#message").press_sequentially("And now?")
    panel = look_ahead(page)
    forms = {
        one.locator(".name").inner_text().strip(): one.locator(".form").inner_text()
        for one in panel.locator(".segments li").all()
    }
    assert forms == {
        "Stays": "kept, by name",
        "Grows": "changes only",
        "Goes": "dropped",
        "Leaves": "dropped",
    }
    expect(panel.get_by_role("heading", name="What would be sent")).to_be_visible()
    expect(panel).to_contain_text("Nothing before this turn changed.")
    assert violations(page) == []


def attach_more(page: Page, title: str) -> None:
    expect(page).to_have_url(re.compile("/c/"))
    page.locator("#message").press_sequentially(f"@{title}")
    expect(page.locator(".picker [role=option]").first).to_contain_text(title)
    page.keyboard.press("Enter")
    expect(page.locator(".chips")).to_contain_text(title)


def test_the_inspector_is_used_with_the_keyboard_and_gives_the_focus_back(page):
    send(page, "Hello")
    settled(page)
    button = replies(page).get_by_role("button", name="What the model was given")
    button.focus()
    page.keyboard.press("Enter")
    panel = page.locator(".inspection")
    expect(panel).to_be_focused()
    expect(panel).to_contain_text("The first request of this conversation")
    for number in range(5):
        expect(panel.locator(".layer b").nth(number)).to_have_text(f"L{number + 1}")
    panel.locator("summary").first.focus()
    page.keyboard.press("Enter")
    expect(panel.locator(".raw").first).to_contain_text("You answer questions")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(button).to_be_focused()


def test_what_broke_the_prefix_what_it_costs_and_what_was_mended_is_said(page):
    send(page, "First")
    settled(page)

    def told(route):
        view = route.fetch().json()
        view["seen"] |= {"firstDifference": {"message": 1, "layer": "history", "cause": "epoch"}}
        view["cost"] |= {"dollars": 0.0123}
        view["report"] = [{"rule": "repair.results", "sentence": "A call got a marked answer."}]
        route.fulfill(json=view)

    page.route("**/preview", told)
    page.fill("#message", "Second")
    panel = look_ahead(page)
    expect(panel.locator(".broken")).to_contain_text(
        "from message 2 on, in an earlier turn: the window was full"
    )
    expect(panel.locator(".broken q")).to_have_text("First")
    expect(panel.locator(".price")).to_have_text("About $0.0123 for reading it.")
    expect(panel.locator(".repairs")).to_contain_text("A call got a marked answer.")
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_inspector_fills_the_screen_and_axe_finds_nothing(browser, house, tmp_path, scheme):
    with watched(browser, house.address, color_scheme=scheme) as page:
        page.set_viewport_size({"width": 360, "height": 740})
        page.goto(f"{house.address}/new")
        everywhere(page).click()
        page.fill("#message", QUESTION)
        panel = look_ahead(page)
        expect(panel.locator(".segments li").first).to_contain_text("found by search")
        box = panel.bounding_box()
        assert box is not None
        assert (box["x"], box["width"]) == (0, 360)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert violations(page) == []
        page.screenshot(path=tmp_path / f"inspector-{scheme}.png")
        panel.get_by_role("button", name="Close").click()
        expect(page.locator("#message")).to_have_value(QUESTION)


DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    for (const type of ["dragover", "drop"]) {
        document.querySelector(".sidebar").dispatchEvent(
            new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }
}"""


def test_an_export_dropped_on_the_list_is_summed_up_and_adds_nothing_the_second_time(page):
    turns = [
        {"role": "user", "content": "Where do the gulls sleep?"},
        {"role": "assistant", "content": "On the tin roof."},
    ]
    lines = json.dumps({"messages": turns}) + "\nno json at all\n"
    expect(page.get_by_role("button", name="Import chats of another program")).to_be_visible()
    page.evaluate(DROP, ["gulls.jsonl", lines])
    dialog = page.get_by_role("dialog", name="Import")
    expect(dialog).to_contain_text("OpenAI chat messages: 1 conversation with 2 messages.")
    expect(dialog).to_contain_text("1 conversation new; 2 messages added.")
    expect(dialog.locator(".warnings div").first).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.evaluate(DROP, ["gulls.jsonl", lines])
    expect(dialog).to_contain_text("Nothing in it that was not here already.")
    dialog.get_by_role("button", name="Open it").click()
    expect(replies(page)).to_contain_text("On the tin roof.")
    later = [*turns, {"role": "user", "content": "And the terns?"}]
    page.evaluate(DROP, ["gulls.jsonl", json.dumps({"messages": later}) + "\n"])
    expect(dialog).to_contain_text("1 conversation with something new; 1 message added.")
    page.keyboard.press("Escape")
    expect(questions(page).last).to_contain_text("And the terns?")
    page.evaluate(DROP, ["picture.bin", "\u0000\u0001"])
    expect(dialog).to_contain_text("Nothing in this file could be read.")


def test_a_file_dropped_before_the_page_knows_its_server_is_read_all_the_same(browser, house):
    with watched(browser, house.address) as page:
        held = []
        page.route("**/api/status", lambda route: held.append(route))  # noqa: PLW0108 # its signature is read
        page.goto(f"{house.address}/new")
        page.wait_for_selector("#message")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        line = json.dumps({"messages": [{"role": "user", "content": "Who rang the bell?"}]}) + "\n"
        page.evaluate(DROP, ["bell.jsonl", line])
        expect(page.get_by_role("dialog", name="Import")).to_contain_text("1 conversation with 1 message.")
        assert held
        for route in held:
            route.continue_()
        expect(page.get_by_role("button", name="Import chats of another program")).to_be_visible()


def test_a_note_that_is_being_named_while_the_conversation_is_made_is_still_found(page):
    held = []
    page.route("**/api/conversations", lambda route: held.append(route))  # noqa: PLW0108 # its signature is read
    attach(page, "Tide", "Tide table")
    page.locator("#message").press_sequentially("@Work")
    expect(page.locator(".picker [role=option]").first).to_contain_text("Workbench")
    assert held
    for route in held:
        route.continue_()
    expect(page).to_have_url(re.compile("/c/"))
    expect(page.locator("#message")).to_have_value("@Work")
    expect(page.locator(".picker [role=option]").first).to_contain_text("Workbench")
    page.keyboard.press("Enter")
    expect(page.locator(".chips")).to_contain_text("Workbench")
    expect(page.locator("#message")).to_have_value("")

"""The picture of the page in the documentation, made by the browser over the scripted model.

python -m tests.e2e.picture docs/images/page.png
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright
from tests.e2e.house import launch, open_house

__all__ = ["take_picture"]

QUESTIONS = ("What is the launch date?", "And the tides on the weekend, with a few lines to read them?")


def take_picture(path: Path, *, dark: bool = False) -> None:
    """A conversation with a note, its source beside the answer, and some code."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, open_house() as house:
        browser = launch(playwright)
        scheme = "dark" if dark else "light"
        page = browser.new_page(
            viewport={"width": 1440, "height": 940}, color_scheme=scheme, device_scale_factor=2
        )
        for titles in ("What grows at the top of the spiral?", "Which knot for the mooring ring?"):
            _ask(page, house.address, titles)
        page.goto(f"{house.address}/new")
        page.locator("#message").press_sequentially("@ball")
        expect(page.locator(".picker [role=option]").first).to_contain_text("Balloon launch")
        page.keyboard.press("Enter")
        for question in QUESTIONS:
            _send(page, question)
        page.mouse.move(0, 0)
        page.screenshot(path=path)
        browser.close()


def _ask(page: Page, address: str, question: str) -> None:
    page.goto(f"{address}/new")
    page.wait_for_selector("#message")
    _send(page, question)


def _send(page: Page, question: str) -> None:
    before = page.locator("article.theirs").count()
    page.fill("#message", question)
    page.keyboard.press("Enter")
    replies = page.locator("article.theirs")
    expect(replies).to_have_count(before + 1)
    expect(replies.last).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


if __name__ == "__main__":
    take_picture(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/page.png"))

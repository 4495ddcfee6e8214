from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.e2e.house import CHROMIUM, House, launch, open_house

from triptych.server.page import STATIC

expect.set_options(timeout=20_000)  # a busy machine is no fault of the page


@pytest.fixture(scope="module")  # its driver's loop stands in the way of other modules' asyncio.run
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("no Chromium here: apt-get install chromium")
    if not (STATIC / "index.html").exists():
        pytest.skip("the page is not built: make page")
    with sync_playwright() as playwright:
        opened = launch(playwright)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with open_house() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser, house: House) -> Iterator[Page]:
    """A page on a new conversation. Errors, and requests to anywhere else, fail the test."""
    with watched(browser, house.address) as opened:
        opened.goto(f"{house.address}/new")
        opened.wait_for_selector("#message")
        yield opened


@contextmanager
def watched(browser: Browser, address: str, **more) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1360, "height": 860}, **more)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    faults: list[str] = []
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("console", lambda said: faults.append(f"console: {said.text}") if said.type == "error" else None)
    page.on(
        "request",
        lambda asked: faults.append(f"asked {asked.url}") if _elsewhere(asked.url, address) else None,
    )
    yield page
    context.close()
    assert faults == []


def _elsewhere(url: str, address: str) -> bool:
    return urlsplit(url).scheme in {"http", "https"} and urlsplit(url).netloc != urlsplit(address).netloc

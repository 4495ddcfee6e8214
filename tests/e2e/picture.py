"""The picture of the page in the documentation: the demo with its local model, seen by a real browser.

python -m tests.e2e.picture docs/images/page.png
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import expect, sync_playwright
from tests.e2e.demo import started
from tests.e2e.house import launch

__all__ = ["take_picture"]

ANSWERED = "article.theirs[aria-busy=false]"
PATIENCE = 150_000


def take_picture(path: Path, *, dark: bool = False) -> None:
    """The conversation that a fresh demo has ready: a question, its answer, and the sentence behind it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as data, started(Path(data)) as (_, address), sync_playwright() as playwright:
        browser = launch(playwright)
        scheme = "dark" if dark else "light"
        page = browser.new_page(
            viewport={"width": 1280, "height": 720}, color_scheme=scheme, device_scale_factor=2
        )
        page.goto(address)
        expect(page.locator(ANSWERED)).to_have_count(1, timeout=PATIENCE)
        page.mouse.move(0, 0)
        page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    take_picture(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/page.png"))

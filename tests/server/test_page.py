from __future__ import annotations

import json
from pathlib import Path

from starlette.testclient import TestClient
from tests.server.fake_chat import FakeChat

from triptych.server.app import create_app


def opened(folder):
    return TestClient(create_app(FakeChat(lambda _: []), static=folder), base_url="http://localhost")


def test_addresses_that_are_no_file_are_the_page(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>the page</title>")
    (tmp_path / "assets/main-1a2b.js").write_text("1")
    client = opened(tmp_path)
    for path in ("/", "/c/some-conversation"):
        answer = client.get(path)
        assert answer.text == "<title>the page</title>"
        assert answer.headers["cache-control"] == "no-cache"
    assert "immutable" in client.get("/assets/main-1a2b.js").headers["cache-control"]
    assert client.get("/assets/gone.js").status_code == 404
    assert client.get("/../../etc/passwd").text == "<title>the page</title>"


def test_the_lock_file_of_the_page_names_no_address():
    lock = json.loads((Path(__file__).parents[2] / "web/package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_a_page_that_is_not_built_says_what_to_do(tmp_path):
    answer = opened(tmp_path / "static").get("/")
    assert answer.status_code == 503
    assert "npm run build" in answer.text

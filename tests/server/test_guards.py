from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from tests.server.fake_chat import FakeChat

from triptych.server.app import create_app


def opened(**more):
    return TestClient(create_app(FakeChat(lambda _: []), **more), base_url="http://127.0.0.1:8321")


@pytest.mark.parametrize("path", ["/", "/api/status", "/api/nothing", "/api/conversations/none", "/no.js"])
def test_every_answer_carries_the_policy_of_the_page(path):
    answer = opened().get(path)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"sec-fetch-site": "same-origin"}, 201),
        ({"sec-fetch-site": "none"}, 201),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "http://127.0.0.1:8321"}, 201),
        ({"origin": "http://elsewhere.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_another_site_may_not_change_anything(headers, status):
    assert opened().post("/api/conversations", json={}, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:1", 200), ("[::1]:8321", 200), ("127.0.0.1", 200), ("rebound.example:8321", 421), ("", 421)],
)
def test_a_foreign_name_for_this_machine_is_no_name_of_ours(host, status):
    assert opened().get("/api/status", headers={"host": host}).status_code == status


def test_other_names_are_let_in_when_asked_for():
    assert opened(hosts=None).get("/api/status", headers={"host": "notes.example"}).status_code == 200
    names = frozenset({"notes.example"})
    assert opened(hosts=names).get("/api/status", headers={"host": "notes.example"}).status_code == 200

from __future__ import annotations

import asyncio
import json
import time

import pytest
from starlette.testclient import TestClient
from tests.server.fake_chat import FakeChat

from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import BlobMedia, ImagePart, ToolResultPart
from triptych.ports.search import SearchHit
from triptych.repository import Repository
from triptych.server.app import create_app
from triptych.server.shapes import Imported, ModelInfo

FILES = {
    "Boats/Heron.md": "# Heron\n\nThe launch is on 12 May.",
    "Harbour.md": "# Harbour",
    "sketch.svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
}


@pytest.fixture
def chat():
    return FakeChat(lambda text: ["You said: ", text], FILES)


@pytest.fixture
def client(chat):
    told = Diagnostic(code="model_tiny", message="The model is tiny.", severity="info")
    model = ModelInfo(id="scripted:tiny", name="Scripted", note="A script, not a model.")
    app = create_app(chat, models=(model,), vault_name="vault", diagnostics=(told,))
    with TestClient(app, base_url="http://127.0.0.1:8321") as opened:
        yield opened


def start(client):
    return client.post("/api/conversations", json={}).json()["id"]


def rows_when_settled(client, conversation_id):
    for _ in range(200):
        rows = client.get(f"/api/conversations/{conversation_id}").json()["rows"]
        if (
            rows
            and rows[-1]["role"] == "assistant"
            and rows[-1].get("status", {}).get("state") != "streaming"
        ):
            return rows
        time.sleep(0.01)
    raise AssertionError(rows)


def test_a_conversation_is_started_renamed_listed_and_deleted(client):
    name = start(client)
    assert client.patch(f"/api/conversations/{name}", json={"title": "Tides"}).json()["title"] == "Tides"
    assert [one["id"] for one in client.get("/api/conversations").json()["conversations"]] == [name]
    assert (
        client.patch(f"/api/conversations/{name}", json={"model": "other:one"}).json()["model"] == "other:one"
    )
    assert client.delete(f"/api/conversations/{name}").status_code == 204
    assert client.get("/api/conversations").json()["conversations"] == []
    assert client.get(f"/api/conversations/{name}").status_code == 404


def test_what_is_sent_and_answered_is_in_the_rows(client):
    name = start(client)
    body = {"text": "Hello", "references": [{"kind": "note", "path": "Harbour.md"}]}
    answer = client.post(f"/api/conversations/{name}/messages", json=body)
    assert answer.status_code == 202
    user, reply = rows_when_settled(client, name)
    assert answer.json() == {"conversationId": name, "userId": user["id"], "replyId": reply["id"]}
    assert user["content"] == "Hello"
    assert user["parts"][1] == {"type": "reference", "reference": {"kind": "note", "path": "Harbour.md"}}
    assert reply["content"] == "You said: Hello"


def test_an_edit_and_a_regeneration_are_branches_that_can_be_switched(client):
    name = start(client)
    client.post(f"/api/conversations/{name}/messages", json={"text": "One"})
    user, reply = rows_when_settled(client, name)
    client.post(f"/api/conversations/{name}/messages/{user['id']}/edit", json={"text": "Two"})
    edited, _ = rows_when_settled(client, name)
    assert edited["branch"] == {"activeBranchIndex": 1, "count": 2, "ids": [user["id"], edited["id"]]}
    assert client.post(f"/api/conversations/{name}/messages/{user['id']}/switch").status_code == 204
    client.post(f"/api/conversations/{name}/messages/{reply['id']}/regenerate")
    first, again = rows_when_settled(client, name)
    assert first["id"] == user["id"]
    assert again["branch"]["count"] == 2
    view = client.get(f"/api/conversations/{name}").json()
    assert view["elsewhere"][reply["id"]] == {"reason": "inactive_branch", "owner": user["id"]}


def test_an_edit_without_an_answer_only_stands(client):
    name = start(client)
    client.post(f"/api/conversations/{name}/messages", json={"text": "One"})
    user, _ = rows_when_settled(client, name)
    edit = {"text": "Two", "answer": False}
    told = client.post(f"/api/conversations/{name}/messages/{user['id']}/edit", json=edit)
    assert told.json() == {"conversationId": name, "userId": None, "replyId": None}
    assert [row["content"] for row in client.get(f"/api/conversations/{name}").json()["rows"]] == ["Two"]


def test_a_message_is_removed_with_all_below_it(client):
    name = start(client)
    client.post(f"/api/conversations/{name}/messages", json={"text": "One"})
    user, _ = rows_when_settled(client, name)
    assert client.delete(f"/api/conversations/{name}/messages/{user['id']}").status_code == 204
    assert client.get(f"/api/conversations/{name}").json()["rows"] == []


def test_a_message_that_is_not_there_is_404_and_a_refusal_of_the_use_cases_409(client):
    name = start(client)
    assert client.post(f"/api/conversations/{name}/messages/none/switch").status_code == 404
    refused = client.delete("/api/projects/default")
    assert refused.status_code == 409
    assert refused.json()["detail"] == "The default project cannot be deleted."


def test_notes_are_listed_found_read_and_linked(client):
    assert [one["path"] for one in client.get("/api/notes").json()["notes"]] == [
        "Boats/Heron.md",
        "Harbour.md",
    ]
    assert [one["title"] for one in client.get("/api/search?q=her").json()["notes"]] == ["Heron"]
    assert client.get("/api/notes/Boats/Heron.md").json()["body"].startswith("# Heron")
    assert client.get("/api/links?link=Heron").json() == {"path": "Boats/Heron.md"}
    assert client.get("/api/notes/gone.md").json()["detail"] == "The note gone.md is not there."


def test_a_search_finds_pieces_of_text_where_there_is_an_index(client, chat):
    class Index:
        async def query(self, text, *, limit=10, within=(), without=()):
            return [
                SearchHit(path="Harbour.md", title="Harbour", text=text, start_line=1, end_line=1, score=1.0)
            ]

    chat.search = Index()
    found = client.get("/api/search?q=quay").json()
    assert (found["notes"], found["hits"][0]["path"]) == ([], "Harbour.md")
    assert client.get("/api/search?q=").json()["hits"] == []


def test_a_picture_of_the_vault_comes_in_a_sandbox_and_a_note_is_no_picture(client):
    picture = client.get("/api/pictures/sketch.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in picture.headers["content-security-policy"]
    assert client.get("/api/pictures/Harbour.md").status_code == 404


def test_what_will_be_attached_is_warmed(client, chat):
    name = start(client)
    body = {"references": [{"kind": "note", "path": "Harbour.md"}]}
    assert client.post(f"/api/conversations/{name}/warm", json=body).status_code == 204
    assert [one.path for one in chat.warmed] == ["Harbour.md"]


def test_projects_are_put_listed_and_deleted(client):
    put = client.put("/api/projects", json={"id": "p", "name": "Winter", "include": ["Boats/"]})
    assert put.json()["name"] == "Winter"
    assert [one["id"] for one in client.get("/api/projects").json()["projects"]] == ["default", "p"]
    assert client.delete("/api/projects/p").status_code == 204
    assert client.delete("/api/projects/p").status_code == 404


def test_a_file_of_another_program_is_handed_to_the_importer_whatever_its_name(chat):
    seen = []

    async def importer(path, project_id):
        seen.append((path.name, path.read_bytes(), project_id))
        return Imported(format="chatgpt", conversations=1, messages=2, added=2)

    headers = {"content-type": "application/octet-stream"}
    app = create_app(chat, importer=importer, body_limit=10)
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/api/status").json()["imports"] is True
        data = b"x" * 5000
        answer = client.post(
            "/api/imports?name=../../etc/chats.json&projectId=p", content=data, headers=headers
        )
        assert answer.json()["added"] == 2
        assert seen == [("chats.json", data, "p")]
        assert client.post("/api/imports", content=b"{}").status_code == 415


def test_without_an_importer_a_file_is_refused_with_a_way_on(client):
    headers = {"content-type": "application/octet-stream"}
    answer = client.post("/api/imports", content=b"{}", headers=headers)
    assert answer.status_code == 409
    assert "triptych import" in answer.json()["detail"]


def test_the_status_says_which_model_answers_and_what_to_know(client):
    status = client.get("/api/status").json()
    assert status["model"] == {"id": "scripted:tiny", "name": "Scripted", "note": "A script, not a model."}
    assert status["vault"] == "vault"
    assert status["diagnostics"][0]["code"] == "model_tiny"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"text": 1}, "$.text"),
        ({"text": "x", "references": [{"kind": "note"}]}, "$.references[0]"),
        ({"text": "x", "references": [{"kind": "nothing"}]}, "$.references[0].kind"),
        ({"text": "x", "more": 1}, "$"),
    ],
)
def test_a_field_that_does_not_fit_is_named_by_its_path(client, body, path):
    name = start(client)
    answer = client.post(f"/api/conversations/{name}/messages", json=body)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["path"] == path


@pytest.mark.parametrize("data", [b"{", b"[" * 100_000, b'{"text": "\\ud800"}', b"\xff\xfe", b"", b"null"])
def test_what_is_no_json_of_ours_is_400(client, data):
    name = start(client)
    headers = {"content-type": "application/json"}
    answer = client.post(f"/api/conversations/{name}/messages", content=data, headers=headers)
    assert answer.status_code == 400


def test_nul_in_a_text_is_replaced_since_no_database_holds_it(client):
    name = start(client)
    client.post(f"/api/conversations/{name}/messages", json={"text": "a\x00b"})
    assert rows_when_settled(client, name)[0]["content"] == "a\ufffdb"


def test_a_body_that_is_not_declared_as_json_is_415(client):
    answer = client.post("/api/conversations", content=b"{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 415


def test_unknown_operations_are_404_and_wrong_methods_405_with_the_right_ones(client):
    assert client.get("/api/nothing").status_code == 404
    wrong = client.put("/api/conversations", json={})
    assert wrong.status_code == 405
    assert {"GET", "POST"} <= set(wrong.headers["allow"].replace(",", " ").split())


def test_a_huge_body_is_413_announced_or_not():
    app = create_app(FakeChat(lambda _: []), body_limit=1000)
    with TestClient(app, base_url="http://localhost") as client:
        name = start(client)
        path = f"/api/conversations/{name}/messages"
        assert client.post(path, json={"text": "x" * 2000}).status_code == 413
        pieces = (piece for piece in [b'{"text": "', b"x" * 2000, b'"}'])
        answer = client.post(path, content=pieces, headers={"content-type": "application/json"})
        assert answer.status_code == 413


def test_an_unforeseen_failure_is_500_without_a_traceback(chat):
    async def fail(*_: object) -> None:
        raise ZeroDivisionError("a secret")

    chat.projects = fail
    with TestClient(create_app(chat), base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = client.get("/api/projects")
    assert answer.status_code == 500
    assert "secret" not in answer.text


def test_the_description_has_a_discriminator_for_references(client):
    document = client.get("/api/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    text = json.dumps(document["components"]["schemas"])
    assert '"discriminator": {"propertyName": "kind"' in text
    assert "/api/conversations/{conversation_id}/messages" in document["paths"]


def test_a_message_is_marked_and_the_mark_is_taken_away(client):
    name = start(client)
    client.post(f"/api/conversations/{name}/messages", json={"text": "one"})
    (first, *_) = rows_when_settled(client, name)
    address = f"/api/conversations/{name}/messages/{first['id']}/favorite"
    for mark in (True, False):
        assert client.put(address, json={"favorite": mark}).status_code == 204
        rows = client.get(f"/api/conversations/{name}").json()["rows"]
        assert rows[0].get("favorite", False) is mark
    assert client.put(address.replace(first["id"], "x"), json={"favorite": True}).status_code == 404
    assert client.put(address, json={}).status_code == 400


def test_what_is_asked_of_an_answer_beside_the_words_is_handed_on(client, chat):
    name = start(client)
    said = {"text": "one", "directives": ["Answer in French."], "dated": True}
    assert client.post(f"/api/conversations/{name}/messages", json=said).status_code == 202
    assert chat.asked == [(("Answer in French.",), True)]
    said["directives"] = [""]
    assert client.post(f"/api/conversations/{name}/messages", json=said).status_code == 400


PICTURES = {
    "image/png": b"\x89PNG\r\n\x1a\n...",
    "image/jpeg": b"\xff\xd8\xff...",
    "image/gif": b"GIF89a...",
    "image/webp": b"RIFF....WEBP",
}
NONE = (b"<svg onload='alert(1)'/>", b"<!doctype html><script>alert(1)</script>", b"%PDF-1.7", b"")


def test_stored_pictures_of_a_conversation_are_served_as_what_their_bytes_are(client, chat):
    bodies = [*PICTURES.values(), *NONE, b"\x89PNG\r\n\x1a\nsecret"]
    *shown, secret = asyncio.run(chat.blobs.put_blobs(bodies))
    parts = tuple(ImagePart(media=BlobMedia(one), media_type="image/svg+xml") for one in shown[1:])
    result = ToolResultPart(call_id="k", content=(ImagePart(media=BlobMedia(shown[0])),))
    talk = Repository(Conversation(id="c"))
    talk.append(UserMessage(id="u", parts=parts))
    talk.append(AssistantMessage(id="a", parent_id="u"))
    talk.append(ToolMessage(id="t", parent_id="a", parts=(result,)))
    chat.add(talk)
    answers = [client.get(f"/api/conversations/c/blobs/{one}") for one in shown]
    assert [one.status_code for one in answers] == [200] * len(PICTURES) + [404] * len(NONE)
    for answer, (kind, body) in zip(answers, PICTURES.items(), strict=False):
        assert (answer.headers["content-type"], answer.content) == (kind, body)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert client.get(f"/api/conversations/c/blobs/{secret}").status_code == 404
    other = start(client)
    assert client.get(f"/api/conversations/{other}/blobs/{shown[0]}").status_code == 404
    assert client.get(f"/api/conversations/nowhere/blobs/{shown[0]}").status_code == 404


def test_conversations_are_found_by_their_words(client):
    names = [start(client) for _ in range(3)]
    client.patch(f"/api/conversations/{names[0]}", json={"title": "Tides and moons"})
    client.post(f"/api/conversations/{names[1]}/messages", json={"text": "The TIDES are late."})
    rows_when_settled(client, names[1])

    def found(words):
        listed = client.get("/api/conversations", params={"words": words}).json()["conversations"]
        return {one["id"] for one in listed}

    assert found(" tides ") == set(names[:2])
    assert found("") == set(names)
    assert found("eclipse") == set()

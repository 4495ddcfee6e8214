import base64

import pytest

from triptych.chat.references import MOST_EMBEDDED, Reach, resolve_references
from triptych.model import references as r
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import message_text
from triptych.model.parts import ImagePart, InlineMedia
from triptych.ports.pages import Page
from triptych.ports.search import SearchHit
from triptych.testing.notes import MemoryVault
from triptych.vault import FolderVault

pytestmark = pytest.mark.anyio
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class OnePage:
    async def fetch(self, url):
        if "private" in url:
            return None, (Diagnostic(code="page_private", message="A private address.", where=url),)
        return Page(url=url, text="page text", title="Page"), ()


class TwoHits:
    async def query(self, text, *, limit=10, within=(), without=()):
        hit = SearchHit(path="a.md", title="a", text="found text", start_line=3, end_line=4, score=1.0)
        return [] if text == "nothing" else [hit, hit]


@pytest.fixture
def vault(tmp_path):
    files = {
        "plan.md": "# Plan\n\nIntro.\n\n## Crew\n\nThree people.\n\nBring rope ^rope\n",
        "garden/beds.md": "Beds #garden",
        "garden/seeds.md": "Seeds #garden",
        "book.md": "Look: ![[plan#Crew]] and ![[huge]]",
        "huge.md": "x" * (MOST_EMBEDDED + 1),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "photo.png").write_bytes(PIXEL)
    return FolderVault(tmp_path)


async def read(reference, **reach):
    return await resolve_references([reference], Reach(**reach))


async def test_a_heading_and_a_block_of_a_note_are_sources_of_their_own(vault):
    (crew,), _ = await read(r.NoteReference(path="plan.md", heading="Crew"), vault=vault)
    assert (crew.key, "Three people" in crew.body, "Intro" in crew.body) == ("note:plan.md#Crew", True, False)
    (rope,), _ = await read(r.NoteReference(path="plan.md", block="rope"), vault=vault)
    assert rope.key == "note:plan.md#^rope"
    (gone,), found = await read(r.NoteReference(path="plan.md", heading="Nope"), vault=vault)
    assert (gone.kind, found[0].code) == ("error", "heading_missing")


async def test_a_folder_and_a_tag_report_what_they_brought(vault):
    for reference in (r.FolderReference(path="garden"), r.TagReference(tag="#garden")):
        sources, found = await read(reference, vault=vault)
        assert [source.key for source in sources] == ["note:garden/beds.md", "note:garden/seeds.md"]
        assert found[-1].detail == {"found": 2, "included": 2, "skipped": []}


async def test_an_unknown_folder_is_an_error_that_both_see(vault):
    (source,), found = await read(r.FolderReference(path="nowhere"), vault=vault)
    assert source.kind == "error"
    assert found[0].code == "folder_empty"


async def test_embedded_notes_come_along_unless_they_are_huge(vault):
    sources, found = await read(r.NoteReference(path="book.md"), vault=vault)
    assert [source.key for source in sources] == ["note:book.md", "note:plan.md#Crew"]
    assert ("embedded_in", "book.md") in sources[1].facts
    assert [one.code for one in found] == ["embed_skipped"]


async def test_an_embed_that_brings_nothing_is_told(vault):
    packed = "# Drawing\n" + "QmVkcyBhbmQgc2VlZHMgYW5kIHNhbGFkIGFuZCByYWRpc2ggYW5kIHBlYXMgb2Yg\n" * 40
    words = "種と苗の本を読む。" * 40
    for name, text in (("drawing.md", packed), ("words.md", words), ("bad.md", "\0"), ("pic.png", "x")):
        (vault.root / name).write_text(text, "utf-8")
    (vault.root / "page.md").write_text(
        "![[drawing]] ![[gone]] ![[words]] ![[bad]] ![[pic.png]] ![[page]]", "utf-8"
    )
    sources, found = await read(r.NoteReference(path="page.md"), vault=vault)
    assert [source.key for source in sources] == ["note:page.md", "note:words.md"]
    assert [one.code for one in found] == ["embed_skipped", "embed_missing", "note_binary"]


async def test_a_note_that_comes_by_two_routes_is_one_source(vault):
    references = [
        r.NoteReference(path="garden/beds.md"),
        r.FolderReference(path="garden"),
        r.NoteReference(path="beds"),
    ]
    sources, _ = await resolve_references(references, Reach(vault=vault))
    assert [source.key for source in sources] == ["note:garden/beds.md", "note:garden/seeds.md"]


async def test_selections_and_open_pages_are_snapshots(vault):
    chosen = r.SelectionReference(text="just this", path="plan.md", start_line=3, end_line=3)
    (selection,), _ = await read(chosen, vault=vault)
    assert not selection.recoverable
    assert ("start_line", "3") in selection.facts
    (tab,), _ = await read(r.WebTabReference(url="https://example.org", text="tab text"))
    assert tab.body == "tab text"
    (unread,), found = await read(r.WebTabReference(url="https://example.org"))
    assert (unread.kind, found[0].severity) == ("error", "error")


async def test_pages_searches_and_conversations_are_read_through_what_is_there():
    (page,), _ = await read(r.UrlReference(url="https://example.org"), pages=OnePage())
    assert (page.title, page.body) == ("Page", "page text")
    (_,), found = await read(r.UrlReference(url="https://private"), pages=OnePage())
    assert found[0].code == "page_private"
    (hit,), _ = await read(r.SearchReference(query="x"), search=TwoHits())
    assert ("start_line", "3") in hit.facts
    nothing, found = await read(r.SearchReference(query="nothing"), search=TwoHits())
    assert (nothing, found[0].code) == ([], "nothing_found")

    async def transcript(conversation_id, message_id):
        return ("Old talk", "user: hi") if conversation_id == "c9" else None

    (talk,), _ = await read(r.ConversationReference(conversation_id="c9"), transcript=transcript)
    assert talk.body == "user: hi"


@pytest.mark.parametrize(
    "reference",
    [
        r.NoteReference(path="a.md"),
        r.FolderReference(path="a"),
        r.TagReference(tag="a"),
        r.PdfReference(path="a.pdf"),
        r.CanvasReference(path="a.canvas"),
        r.UrlReference(url="u"),
        r.SearchReference(query="q"),
        r.ConversationReference(conversation_id="c"),
    ],
)
async def test_without_anything_to_read_from_each_kind_gives_an_error_that_both_see(reference):
    (source,), found = await read(reference)
    assert source.kind == "error"
    assert found[0].severity == "error"


async def test_a_picture_is_kept_by_digest_and_sent_inline_for_ever(make_chat, provider, vault, store):
    chat = make_chat(vault=vault)
    conversation = await chat.create()
    turn = await chat.send(conversation.id, "What is this?", [r.ImageReference(path="photo.png")])
    await chat.finished(conversation.id)
    (vault.root / "photo.png").unlink()
    await chat.send(conversation.id, "Sure?")
    await chat.finished(conversation.id)
    kept = (await chat.open(conversation.id)).get(turn.user_id)
    assert [part.media.size for part in kept.parts if isinstance(part, ImagePart)] == [len(PIXEL)]
    for request in provider.requests:
        pictures = [
            part for message in request.messages for part in message.parts if isinstance(part, ImagePart)
        ]
        assert pictures[0].media == InlineMedia(base64.b64encode(PIXEL).decode())
    await chat.close()


async def test_another_projects_conversation_is_out_of_reach(make_chat, provider):
    from triptych.model.conversations import Project

    chat = make_chat(vault=MemoryVault())
    await chat.put_project(Project(id="other"))
    secret, mine, here = await chat.create("other"), await chat.create(), await chat.create()
    for one in (secret, mine):
        await chat.send(one.id, "a secret word")
        await chat.finished(one.id)
    for one, seen in ((secret, False), (mine, True)):
        await chat.send(here.id, "What was said?", [r.ConversationReference(conversation_id=one.id)])
        await chat.finished(here.id)
        assert ("a secret word" in message_text(provider.requests[-1].messages[-1])) is seen
    await chat.close()


async def test_a_sound_is_no_picture_and_a_webp_is_one(store):
    from triptych.chat.media import stored_pictures

    vault = MemoryVault({"sound.wav": "RIFF1234WAVE", "leaf.webp": "RIFF1234WEBP"})
    asked = [r.ImageReference(path="sound.wav"), r.ImageReference(path="leaf.webp")]
    pictures, found = await stored_pictures(asked, vault, store)
    assert [one.media_type for one in pictures] == ["image/webp"]
    assert [(one.code, one.where) for one in found] == [("image_unread", "sound.wav")]

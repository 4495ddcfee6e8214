"""Recorded conversations with another program, driven through our session: what is right is asserted, not what it did."""

import asyncio
import base64
import json
from typing import ClassVar

import pytest
from tests.conformance.vectors import HERE, files, load

from triptych.chat.session import Chat
from triptych.context.tokens.counter import TokenCounter
from triptych.errors import TriptychError
from triptych.model.diagnostics import Diagnostic
from triptych.model.events import Finish, PartDelta, PartStart
from triptych.model.messages import AssistantMessage, UserMessage, message_text
from triptych.model.parts import ImagePart, TextPart
from triptych.model.references import (
    CanvasReference,
    FolderReference,
    ImageReference,
    NoteReference,
    SelectionReference,
    TagReference,
    UrlReference,
    WebTabReference,
)
from triptych.model.status import Complete, Incomplete
from triptych.ports.pages import Page
from triptych.repository import invariants
from triptych.stores.memory import MemoryStore
from triptych.testing.clock import StepClock
from triptych.testing.scripted import SCRIPTED, ScriptedProvider
from triptych.vault import FolderVault

pytestmark = pytest.mark.skipif(not HERE, reason="the recorded vectors are not here")
SCENARIOS = files("copilot/scenarios") if HERE else []


class Pages:
    def __init__(self, urls):
        self.urls = urls

    async def fetch(self, url):
        text = self.urls.get(url)
        if text is None:
            return None, (Diagnostic(code="page_gone", message="The page is gone.", where=url),)
        return Page(url=url, text=text), ()


class Play:
    """One scenario: its steps through a real session over a real folder."""

    def __init__(self, scenario, folder, window=1_000_000, layout="append"):
        self.scenario, self.folder, self.layout = scenario, folder, layout
        folder.mkdir(exist_ok=True)
        for path, note in scenario["vault"].items():
            self.put(path, note["content"] if isinstance(note, dict) else note)
        self.vault = FolderVault(folder)
        self.pages = Pages(dict(scenario["net"]["urls"]))
        self.tabs = dict(scenario["web"]["tabs"])
        profile = SCRIPTED.__class__(
            name="s", wire="openai_chat", family="openai", window=window, media=("image",)
        )
        self.provider = ScriptedProvider(profile=profile)
        self.store, self.clock = MemoryStore(), StepClock()
        self.seen, self.turns, self.told = [], [], []
        self.chat = self.opened()

    def opened(self):
        prompt = self.scenario["system_prompt"]
        return Chat(
            store=self.store,
            clock=self.clock,
            open_provider=lambda name: (self.provider, name),
            model="m",
            vault=self.vault,
            pages=self.pages,
            counter=TokenCounter(lambda text: len(text) // 4 + 1),
            system=" ".join(text for text in (prompt["base"], prompt["custom"]) if text),
            layout=self.layout,
        )

    def put(self, path, content):
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode("utf-8", "surrogatepass"))

    async def play(self):
        self.id = (await self.chat.create()).id
        for step in self.scenario["steps"]:
            await getattr(self, f"op_{step['op']}", self.skipped)(step)
            await self.chat.finished(self.id)
            assert not invariants(await self.chat.open(self.id))
        self.repository = await self.chat.open(self.id)
        await self.chat.close()
        return self

    async def skipped(self, step):
        assert step["op"] in {"save", "new_chat"}, step["op"]

    async def op_put(self, step):
        self.put(step["path"], step["content"])

    async def op_rm(self, step):
        (self.folder / step["path"]).unlink()

    async def op_net(self, step):
        self.pages.urls[step["url"]] = step.get("content")

    async def op_web_tab(self, step):
        self.tabs[step["url"]] = step["tab"]

    async def op_load(self, step):
        await self.chat.close()
        self.chat = self.opened()

    async def op_add_hidden(self, step):
        pass

    async def op_send(self, step):
        self.say(step.get("reply"))
        references = [*self.references(step.get("context") or {}), *await self.pictures(step.get("content"))]
        await self.sent(
            lambda: self.chat.send(self.id, step["text"], references, active=step.get("active_note")),
            references,
            step,
        )

    async def op_edit(self, step):
        self.say(step.get("reply"))
        message = await self.at(step["index"])
        await self.sent(lambda: self.chat.edit(self.id, message.id, step["text"]), None, step)

    async def op_regenerate(self, step):
        self.say(step.get("reply"))
        message = await self.at(step["index"])
        await self.sent(lambda: self.chat.regenerate(self.id, message.id), None, step)

    async def op_delete(self, step):
        await self.chat.remove(self.id, (await self.at(step["index"])).id, splice=True)

    async def at(self, index):
        """A place in the list that the other program shows; where branches made ours shorter, in order of arrival."""
        repository = await self.chat.open(self.id)
        path = repository.path()
        return path[index] if index < len(path) else repository.messages[index]

    async def sent(self, act, references, step):
        before = len(self.provider.requests)
        try:
            await act()
        except TriptychError as problem:
            self.told.append(problem)
        await self.chat.finished(self.id)
        if len(self.provider.requests) > before:
            self.seen.append(self.provider.requests[-1].messages)
            self.turns.append((step, references))

    def say(self, reply):
        self.provider._replies = [self.events(reply) if isinstance(reply, list) else reply or ""]

    def events(self, chunks):
        texts = []
        for chunk in chunks:
            content = chunk.get("content", "")
            texts.extend(
                [content]
                if isinstance(content, str)
                else [one.get("text", "") for one in content if one.get("type") == "text"]
            )
        cut = any((chunk.get("response_metadata") or {}).get("finish_reason") == "length" for chunk in chunks)
        status = Incomplete(reason="length") if cut else Complete()
        deltas = [PartDelta(index=0, text=text) for text in texts if text]
        return [PartStart(index=0, part=TextPart(text="")), *deltas, Finish(status=status)]

    def references(self, context):
        found = [
            CanvasReference(path=path) if path.endswith(".canvas") else NoteReference(path=path)
            for path in context.get("notes", ())
        ]
        found += [UrlReference(url=url) for url in context.get("urls", ())]
        found += [TagReference(tag=tag) for tag in context.get("tags", ())]
        found += [FolderReference(path=path) for path in context.get("folders", ())]
        found += [self.selection(one) for one in context.get("selected", ())]
        found += [self.tab(one) for one in context.get("webTabs", ())]
        return found

    def selection(self, one):
        return SelectionReference(
            text=one["content"],
            path=one.get("notePath"),
            url=one.get("url"),
            title=one.get("noteTitle") or one.get("title"),
            start_line=one.get("startLine"),
            end_line=one.get("endLine"),
        )

    def tab(self, one):
        known = self.tabs.get(one["url"]) if self.scenario["web"]["available"] else None
        text = known.get("content") if isinstance(known, dict) else None
        return WebTabReference(url=one["url"], title=one.get("title"), text=text)

    async def pictures(self, content):
        found = []
        for part in content or ():
            if part.get("type") == "image_url":
                raw = part["image_url"]["url"].partition(",")[2]
                (digest,) = await self.store.put_blobs([base64.b64decode(raw + "==")])
                found.append(ImageReference(blob=digest, media_type="image/png"))
        return found

    def texts(self, number=-1):
        return [message_text(message) for message in self.seen[number]]

    def whole(self, number=-1):
        return "\n".join(self.texts(number))


def played(path, tmp_path, **more):
    return asyncio.run(Play(load(path), tmp_path, **more).play())


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def body_of(text):
    return text.split("---\n", 2)[2] if text.startswith("---\n") and text.count("---\n") >= 2 else text


def held(play, number, body):
    """In full, or in full with the exact changes behind it."""
    return escaped(body).strip() in play.whole(number) or "<changed_since>" in play.whole(number)


@pytest.mark.parametrize("layout", ["append", "library"])
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_attached_note_is_there_in_its_present_text(path, layout, tmp_path):
    scenario, now = load(path), {}
    play = played(path, tmp_path, layout=layout)
    now = {
        name: note["content"] if isinstance(note, dict) else note for name, note in scenario["vault"].items()
    }
    number, steps = 0, scenario["steps"]
    for step in steps:
        if step["op"] == "put":
            now[step["path"]] = step["content"]
        if step["op"] == "send" and number < len(play.turns) and play.turns[number][0] is not None:
            for name in (step.get("context") or {}).get("notes", ()):
                if name in now and name.endswith(".md"):
                    clean = body_of(now[name]).replace("\x00", "")
                    assert held(play, number, clean)
                elif name not in now:
                    assert "note_context_error" in play.whole(number)
            number += 1
    print(f"{path.stem}: {len(play.seen)} requests")


def rewrites(path):
    """Whether a scenario goes back on purpose."""
    return bool({step["op"] for step in load(path)["steps"]} & {"edit", "regenerate", "delete"})


@pytest.mark.parametrize("path", [one for one in SCENARIOS if not rewrites(one)], ids=lambda path: path.stem)
def test_without_edits_each_request_extends_the_one_before(path, tmp_path):
    play = played(path, tmp_path)
    for earlier, later in zip(range(len(play.seen)), range(1, len(play.seen)), strict=False):
        assert play.texts(later)[: len(play.texts(earlier))] == play.texts(earlier)


@pytest.mark.parametrize("layout", ["append", "library"])
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_reloading_before_every_step_changes_no_request(path, layout, tmp_path):
    scenario = load(path)
    often = [one for step in scenario["steps"] for one in ({"op": "load"}, step) if step["op"] != "load"]
    plain = asyncio.run(Play(scenario, tmp_path / "a", layout=layout).play())
    reloaded = asyncio.run(Play(scenario | {"steps": often}, tmp_path / "b", layout=layout).play())
    assert plain.seen == reloaded.seen


class Right:
    """What is right, scenario by scenario; the number is the scenario's."""

    def check_02(self, play):
        assert "<unchanged>project-spec.md</unchanged>" in play.texts()[-1]

    def check_03(self, play):
        assert "<unchanged>https://ex.com/a</unchanged>" in play.texts()[-1]
        assert play.whole().count("Article body") == 1

    def check_04(self, play):
        assert "no_longer_attached" in play.texts(1)[-1]
        assert "no_longer_attached" not in play.texts(2)[-1]

    def check_05(self, play):
        assert play.whole().count("Goal: ship.") == 1
        assert "project-spec.md" in play.texts()[-1]

    def check_06(self, play):
        assert "NEW TEXT" in play.texts(1)[-1] or "<new>NEW</new>" in play.texts(1)[-1]

    def check_08(self, play):
        assert play.whole().count("alpha") == 1
        assert all("<unchanged>a.md</unchanged>" in play.texts(n)[-1] for n in range(1, 5))

    def check_09(self, play):
        assert "v2" in play.texts()[-1]

    def check_10(self, play):
        first = [one["content"] for one in play.scenario["steps"][0]["context"]["selected"]]
        assert all(escaped(text) in play.whole() for text in first)

    def check_14(self, play):
        block = play.texts(0)[-1]
        assert block.count("<note_context>") == block.count("</note_context>") == 3
        assert "<selected_text>" not in block

    def check_15(self, play):
        assert "Section 30" in play.whole(1)
        assert "<unchanged>big.md</unchanged>" in play.texts(1)[-1]

    def check_16(self, play):
        assert "picked" in play.whole()
        assert "<unchanged>huge.md</unchanged>" in play.texts()[-1]

    def check_18(self, play):
        assert all(f"<path>n{n}.md</path>" in play.whole() for n in range(10))

    def check_19(self, play):
        assert "<unchanged>b.md</unchanged>" in play.texts()[-1]
        assert play.texts()[: len(play.texts(0))] == play.texts(0)

    def check_20(self, play):
        assert play.texts(1) == play.texts(0)
        assert len(play.repository.branches(play.repository.head_id)) == 2

    def check_22(self, play):
        for number in range(3):
            assert "ORIGINAL SELECTION" in play.whole(number)
            assert "UNRELATED" not in play.whole(number)

    def check_23(self, play):
        assert play.texts() == play.texts(1)
        assert "note_context" in play.texts()[1]
        assert len(play.repository.messages) == 7

    def check_24(self, play):
        assert play.texts()[-1] == "two"

    def check_27(self, play):
        assert "q/p/c.md" not in play.whole()
        assert play.texts(0)[-1].count("<path>p/a.md</path>") == 1

    def check_29(self, play):
        assert play.texts()[-1].count("<path>a.md</path>") == 1

    def check_30(self, play):
        assert play.texts(0)[0] == play.texts(1)[0]

    def check_31(self, play):
        assert "embedded_in" in play.whole()

    def check_32(self, play):
        assert "board.canvas" in play.whole()

    def check_33(self, play):
        assert "dataview" in play.whole()

    def check_35(self, play):
        assert play.whole().count("note_context_error>") == 4

    def check_38(self, play):
        later = "\n".join(play.texts()[1:])
        assert "secret" not in later
        assert "Visible." in later

    def check_40(self, play):
        assert play.texts(0)[-1].count("<path>p/a.md</path>") == 1
        assert "gone.md" in play.texts(0)[-1]

    def check_41(self, play):
        assert "alpha" in play.whole(0)
        assert play.whole(1).count("alpha") == 1

    def check_43(self, play):
        pictures = [
            part for message in play.seen[-1] for part in message.parts if isinstance(part, ImagePart)
        ]
        assert len(pictures) == 2
        assert "alpha" in play.whole()
        assert "only image" in play.whole()

    def check_44(self, play):
        assert play.texts()[-1].endswith("  spaced  \n")
        assert "crlf nul" in play.whole()
        assert "$&amp; $1" in play.whole()

    def check_45(self, play):
        assert all("ALPHA BODY" in play.whole(number) for number in range(len(play.seen)))

    def check_46(self, play):
        assert all("MARK" in play.whole(number) for number in range(3))

    def check_47(self, play):
        assert [message_text(message) for message in play.repository.messages].count("one") == 1
        assert "r1 edited by hand" in {message_text(message) for message in play.repository.messages}

    def check_49(self, play):
        assert len(play.seen) == len(play.scenario["steps"])

    def check_50(self, play):
        replies = [one for one in play.repository.path() if isinstance(one, AssistantMessage)]
        assert replies[1].status == Incomplete(reason="length")
        assert "partial" in play.whole()
        users = [one for one in play.repository.path() if isinstance(one, UserMessage)]
        assert len(users) == len(replies) == 4

    def check_51(self, play):
        assert "REAL CONTENT" in play.texts(1)[-1]
        assert "<unchanged>https://t.com/</unchanged>" in play.texts(2)[-1]

    def check_52(self, play):
        for number in range(4):
            assert f"V{number + 1}" in play.texts(number)[-1]

    window: ClassVar = {"17": 6_000}

    def check_17(self, play):
        assert sum(len(text) // 4 for text in play.texts()) < 6_000
        assert "cut here" in play.whole()


def holds_together(play):
    """What is right in every scenario, also in one whose outcome nobody wrote down here."""
    assert invariants(play.repository) == []
    assert play.seen
    assert all(text.strip() for number in range(len(play.seen)) for text in play.texts(number)[-1:])


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_scenario_comes_out_right(path, tmp_path):
    number = path.stem[:2]
    check = getattr(Right(), f"check_{number}", holds_together)
    window = Right.window.get(number, 1_000_000)
    play = played(path, tmp_path, window=window)
    check(play)
    holds_together(play)


def test_there_are_scenarios():
    print(f"{len(SCENARIOS)} scenarios")
    assert SCENARIOS
    assert all(json.dumps(load(path)) for path in SCENARIOS)

import asyncio
import errno
import os
from pathlib import Path

import msgspec
import pytest

from triptych.chat.autosave import Autosave
from triptych.errors import StoreError
from triptych.formats.conversation import native_conversation
from triptych.formats.notebook.edits import read_edits
from triptych.formats.notebook.names import candidate_paths
from triptych.formats.notebook.reading import parse_page
from triptych.formats.notebook.render import render_page
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, UserMessage, message_text
from triptych.model.parts import TextPart
from triptych.ports.conversations import StoredConversation
from triptych.stores import notebook_files
from triptych.stores.notebook_files import NotebookFiles

replace = msgspec.structs.replace


def imported(stored):
    return native_conversation(stored.conversation, stored.messages)


class Desk:
    """A store in a dict, and the wiring that an application has."""

    def __init__(self, folder):
        self.folder = folder / "chats"
        self.folder.mkdir(exist_ok=True)
        self.recovery = folder / "recovery"
        self.stored = {}
        self.files = NotebookFiles(self.folder, self.recovery)
        self.autosave = self.fresh()

    def fresh(self):
        return Autosave(self.files, load=self.load, render=self.render, paths=self.paths, merge=self.merge)

    async def load(self, conversation_id):
        return self.stored.get(conversation_id)

    def render(self, stored, previous):
        return render_page(imported(stored), previous=previous)

    def paths(self, conversation):
        return candidate_paths(conversation)

    async def merge(self, text, stored):
        edits = read_edits(text, imported(stored))
        conversation = replace(
            stored.conversation,
            title=stored.conversation.title if edits.title is None else edits.title,
            head_id=edits.head_id or stored.conversation.head_id,
        )
        merged = replace(stored, conversation=conversation, messages=(*stored.messages, *edits.added))
        self.stored[conversation.id] = merged
        return merged

    def put(self, made="c1", title="Plan", said=("hello", "hi")):
        kinds = (UserMessage, AssistantMessage)
        messages = []
        for index, words in enumerate(said):
            parent = messages[-1].id if messages else None
            messages.append(kinds[index % 2](id=f"m{index}", parent_id=parent, parts=(TextPart(text=words),)))
        head = messages[-1].id if messages else None
        self.stored[made] = StoredConversation(
            conversation=Conversation(id=made, title=title, head_id=head), messages=tuple(messages)
        )
        return made

    def names(self):
        return sorted(
            path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
        )

    def said(self, name="Plan.md"):
        page = parse_page((self.folder / name).read_text())
        return [message_text(message) for message in page.messages]


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def run(work):
    return asyncio.run(work)


def test_a_conversation_has_one_file_that_follows_it(desk):
    run(desk.autosave.save(desk.put()))
    desk.put(said=("hello", "hi", "and?"))
    saved = run(desk.autosave.save("c1"))
    assert (saved.path, saved.written, saved.reason) == ("Plan.md", True, None)
    assert desk.names() == ["Plan.md"]
    assert desk.said() == ["hello", "hi", "and?"]


def test_loading_is_not_a_change(desk):
    run(desk.autosave.save(desk.put()))
    before = (desk.folder / "Plan.md").stat()
    saved = run(desk.fresh().save("c1"))
    after = (desk.folder / "Plan.md").stat()
    assert not saved.written
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_a_private_file_stays_private(desk):
    run(desk.autosave.save(desk.put()))
    (desk.folder / "Plan.md").chmod(0o600)
    desk.put(said=("hello", "hi", "more"))
    assert run(desk.autosave.save("c1")).written
    assert (desk.folder / "Plan.md").stat().st_mode & 0o777 == 0o600


def test_a_file_of_another_conversation_is_never_overwritten(desk):
    run(desk.autosave.save(desk.put("c1", said=("old",))))
    saved = run(desk.autosave.save(desk.put("c2", said=("new",))))
    assert saved.path == "Plan 2.md"
    assert desk.said("Plan.md") == ["old"]


def test_a_strangers_note_in_the_way_stays(desk):
    (desk.folder / "Plan.md").write_text("mine")
    assert run(desk.autosave.save(desk.put())).path == "Plan 2.md"
    assert (desk.folder / "Plan.md").read_text() == "mine"


def test_an_empty_conversation_makes_no_file(desk):
    assert run(desk.autosave.save(desk.put(said=()))).path is None
    assert desk.names() == []


def test_a_file_that_was_moved_and_called_otherwise_is_still_the_file(desk):
    run(desk.autosave.save(desk.put()))
    (desk.folder / "deep").mkdir()
    (desk.folder / "Plan.md").rename(desk.folder / "deep" / "Mine.md")
    desk.put(said=("hello", "hi", "more"))
    assert run(desk.autosave.save("c1")).path == "deep/Mine.md"
    assert desk.names() == ["deep/Mine.md"]


def test_a_hand_edit_reaches_the_store_before_the_file_is_replaced(desk):
    run(desk.autosave.save(desk.put()))
    path = desk.folder / "Plan.md"
    path.write_text(path.read_text().replace("\nhi\n", "\nhi there\n") + "\n## You\n\nby hand\n")
    run(desk.autosave.save("c1"))
    said = [message_text(message) for message in desk.stored["c1"].messages]
    assert "hi there" in said
    assert "by hand" in said
    assert "hi" in said
    again = path.read_text()
    assert not run(desk.autosave.save("c1")).written
    assert path.read_text() == again


def test_a_hand_edit_between_reading_and_writing_is_not_lost(desk):
    run(desk.autosave.save(desk.put()))
    path = desk.folder / "Plan.md"
    desk.put(said=("hello", "hi", "more"))
    plain, done = desk.render, []

    def late(stored, previous):
        if previous and not done:
            done.append(path.write_text(path.read_text() + "\n## You\n\nlate\n"))
        return plain(stored, previous)

    desk.render = late
    saved = run(desk.fresh().save("c1"))
    assert saved.reason is None
    assert "late" in desk.said()
    assert "more" in desk.said()


def test_a_file_that_cannot_be_read_is_not_taken_for_missing(desk, monkeypatch):
    run(desk.autosave.save(desk.put()))
    desk.put(said=("hello", "hi", "more"))
    path = desk.folder / "Plan.md"
    os.utime(path, (1, 1))

    def refuse(self, *given, **named):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refuse)
        patched.setattr(Path, "read_bytes", refuse)
        saved = run(desk.autosave.save("c1"))
    assert saved.path is None
    assert "Permission denied" in saved.reason
    assert desk.names() == ["Plan.md"]


def test_two_savings_at_once_are_one_after_the_other(desk):
    desk.put()

    async def both():
        return await asyncio.gather(*(desk.autosave.save("c1") for _ in range(8)))

    assert {one.path for one in run(both())} == {"Plan.md"}
    assert desk.names() == ["Plan.md"]


def test_two_processes_that_save_a_new_conversation_make_one_file(desk, tmp_path):
    desk.put()
    other = Desk(tmp_path)
    other.stored = desk.stored
    late = desk.files.find

    async def slow(conversation_id):
        found = await late(conversation_id)
        if not found and not desk.names():
            await other.autosave.save(conversation_id)
        return found

    desk.files.find = slow
    saved = run(desk.fresh().save("c1"))
    assert saved.path == "Plan.md"
    assert saved.reason is None
    assert desk.names() == ["Plan.md"]


def test_many_changes_are_few_writings_and_the_last_one_is_written(desk):
    desk.put()

    async def typing():
        for index in range(50):
            desk.put(said=("hello", f"hi {index}"))
            desk.autosave.changed("c1")
            await asyncio.sleep(0)
        return await desk.autosave.flush()

    assert run(typing())["c1"].path == "Plan.md"
    assert desk.said() == ["hello", "hi 49"]


def test_a_new_title_renames_the_file(desk):
    run(desk.autosave.save(desk.put()))
    before = desk.stored["c1"].conversation
    desk.put(title="Garden plan")
    assert run(desk.autosave.rename(before)).path == "Garden plan.md"
    assert desk.names() == ["Garden plan.md"]


def test_a_new_title_leaves_a_name_that_a_person_gave(desk):
    run(desk.autosave.save(desk.put()))
    (desk.folder / "Plan.md").rename(desk.folder / "Mine.md")
    before = desk.stored["c1"].conversation
    desk.put(title="Garden plan")
    assert run(desk.autosave.rename(before)).path == "Mine.md"


def test_a_new_title_does_not_overwrite_another_file(desk):
    run(desk.autosave.save(desk.put("c1")))
    (desk.folder / "Garden.md").write_text("mine")
    before = desk.stored["c1"].conversation
    desk.put(title="Garden")
    assert run(desk.autosave.rename(before)).path == "Garden 2.md"
    assert (desk.folder / "Garden.md").read_text() == "mine"


def test_a_deleted_conversation_lies_in_the_trash(desk):
    run(desk.autosave.save(desk.put()))
    del desk.stored["c1"]
    assert run(desk.autosave.delete("c1")).path == ".trash/Plan.md"
    assert desk.names() == [".trash/Plan.md"]


def test_a_second_copy_is_left_alone_and_said(desk):
    run(desk.autosave.save(desk.put()))
    (desk.folder / "Copy.md").write_text((desk.folder / "Plan.md").read_text())
    desk.put(said=("hello", "hi", "more"))
    saved = run(desk.autosave.save("c1"))
    assert "left alone" in saved.reason
    assert len(desk.names()) == 2


class Faulty:
    """The module ``os`` with one call that fails: the n-th of the given names."""

    def __init__(self, number, error, names):
        self.number, self.error, self.names, self.calls = number, error, names, 0

    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in self.names:
            return real

        def call(*given, **named):
            self.calls += 1
            if self.calls == self.number:
                raise OSError(self.error, os.strerror(self.error))
            return real(*given, **named)

        return call


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_whatever_fails_the_file_is_the_old_one_or_the_new_one(desk, monkeypatch, number, error):
    run(desk.autosave.save(desk.put()))
    old = (desk.folder / "Plan.md").read_text()
    desk.put(said=("hello", "hi", "more"))
    new = render_page(imported(desk.stored["c1"]), previous=old)
    faulty = Faulty(number, error, {"open", "write", "fsync", "link", "scandir"})
    monkeypatch.setattr(notebook_files, "os", faulty)
    saved = run(desk.autosave.save("c1"))
    now = (desk.folder / "Plan.md").read_text()
    assert now in (old, new)
    assert [name for name in desk.names() if name.endswith(".tmp")] == []
    if saved.reason is None:
        assert now == new
    else:
        assert saved.recovery
        assert parse_page(Path(saved.recovery).read_text()).messages[-1].id == "m2"


def test_a_crash_at_the_replacing_leaves_the_old_file(desk, monkeypatch):
    run(desk.autosave.save(desk.put()))
    old = (desk.folder / "Plan.md").read_text()
    desk.put(said=("hello", "hi", "more"))

    def crash(self, target):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(desk.folder), "replace", crash)
        with pytest.raises(KeyboardInterrupt):
            run(desk.autosave.save("c1"))
    assert (desk.folder / "Plan.md").read_text() == old
    desk.autosave = desk.fresh()
    assert run(desk.autosave.save("c1")).written
    assert desk.said()[-1] == "more"


def test_a_full_disk_says_why_and_where_the_copy_lies(desk, monkeypatch):
    desk.put()

    def full(handle, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(notebook_files.os, "write", full)
        saved = run(desk.autosave.save("c1"))
    assert saved.path is None
    assert "No space left" in saved.reason
    assert "recovery copy could not be written" in saved.reason


def test_a_store_that_fails_is_a_reason_and_no_exception(desk):
    async def broken(conversation_id):
        raise StoreError("The database is gone.")

    autosave = Autosave(desk.files, load=broken, render=desk.render, paths=desk.paths, merge=desk.merge)
    saved = run(autosave.save("c1"))
    assert saved.path is None
    assert "The database is gone." in saved.reason


def test_a_name_that_the_disk_refuses_gives_way_to_the_next(desk):
    desk.paths = lambda conversation: ["x" * 300 + ".md", "c1.md"]
    assert run(desk.fresh().save(desk.put())).path == "c1.md"


@pytest.mark.parametrize("path", ["../x.md", "/x.md", "a//b.md", "a/../../x.md", "", "a\\b.md"])
def test_no_path_leads_out_of_the_folder(desk, path):
    with pytest.raises(OSError):
        run(desk.files.write(path, "x", replaces=None))


def test_a_link_out_of_the_folder_is_not_followed(desk, tmp_path):
    (desk.folder / "out").symlink_to(tmp_path)
    with pytest.raises(OSError):
        run(desk.files.write("out/x.md", "x", replaces=None))


def test_a_file_system_without_links_takes_new_files_too(desk, monkeypatch):
    def refuse(*given):
        raise OSError(errno.EPERM, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(notebook_files.os, "link", refuse)
        assert run(desk.autosave.save(desk.put())).path == "Plan.md"
        assert run(desk.autosave.save(desk.put("c2"))).path == "Plan 2.md"

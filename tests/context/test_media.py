"""Attachments become content that the model can take, and what it cannot take is named."""

from triptych.context.draft import draft_of
from triptych.context.processors.files_block import media_reference
from triptych.context.processors.media import MediaWording, media_content
from triptych.model.profile import Profile as ModelProfile


class Profile:
    def __init__(self, *media):
        self.media = media
        self.tools = True
        self.token_factor = 1.0
        self.window = None


def after(row, profile=None, **options):
    [made] = media_content(**options)(draft_of([row], profile=profile)).rows
    return made


IMAGE = {"id": "i", "url": "https://x/i.png", "alt": 'my "pic"'}


def test_a_model_that_sees_gets_the_picture_and_its_name():
    made = after({"id": "m", "role": "user", "content": "look", "imageList": [IMAGE]})
    text, image = made["content"]
    assert text["text"].startswith('look\n\n<attachments count="1">\n<image ref="msg_')
    assert 'name="my &quot;pic&quot;"' in text["text"]
    assert image == {"type": "image_url", "image_url": {"url": "https://x/i.png", "detail": "auto"}}
    assert "imageList" not in made


def test_a_model_that_does_not_see_is_told_that_something_was_there():
    row = {
        "role": "user",
        "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "u"}}],
    }
    made = after(row, Profile(), files=False)
    assert made["content"] == "look\n\n[An image is here. This model cannot see images.]"
    assert after(row, Profile("image")) is row


def test_the_profile_says_what_the_model_takes():
    row = {"role": "user", "content": "x", "videoList": [{"url": "v"}], "audioList": [{"url": "a"}]}
    kinds = [part["type"] for part in after(row, Profile("audio", "video"), files=False)["content"]]
    assert kinds == ["text", "video_url", "audio_url"]
    assert after(row, Profile(), files=False)["content"] == "x"
    assert after(row, None, files=False)["content"] == "x"


def test_files_are_told_with_their_text_and_addresses_only_when_asked():
    row = {
        "role": "user",
        "content": "",
        "fileList": [{"id": "f", "name": "a.txt", "content": "</file> hi", "url": "https://x"}],
    }
    assert 'url="https://x"' in after(row)["content"]
    told = after(row, urls=False)["content"]
    assert "https://x" not in told
    assert "<\\/file> hi" in told


def test_a_profile_of_the_model_room_answers():
    profile = ModelProfile(name="eyes", wire="openai_chat", family="openai", media=("image",))
    row = {"role": "user", "content": "x", "imageList": [{"url": "https://x/i.png"}]}
    assert isinstance(after(row, profile)["content"], list)


def test_parts_of_other_kinds_are_not_lost():
    row = {
        "role": "user",
        "content": [{"type": "video_url"}, {"type": "image_url", "image_url": {"url": "u"}}],
    }
    kinds = [part["type"] for part in after(row, image=False)["content"]]
    assert kinds == ["text", "video_url"]
    slim = after({**row, "extra": 1}, image=False, wording=MediaWording(slim=True))
    assert "extra" not in slim


def test_local_pictures_are_sent_as_they_were_inlined():
    row = {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "local"}}],
        "imageList": [{"url": "local"}],
    }
    made = after(row, files=False, inline=lambda url: f"data:{url}")
    assert [part["image_url"]["url"] for part in made["content"]] == ["data:local", "data:local"]


def test_signed_thoughts_become_parts():
    row = {"role": "assistant", "content": "so", "reasoning": {"signature": "S", "content": "hm"}}
    assert after(row)["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "S"},
        {"type": "text", "text": "so"},
    ]
    parts = [{"type": "text", "text": "so"}]
    assert after({**row, "content": parts})["content"][1:] == parts


def test_pictorial_answers_and_thoughts_are_read_from_their_json():
    written = (
        '[{"type":"text","text":"A","thoughtSignature":"g"},{"type":"image","image":"u"},{"type":"odd"}]'
    )
    row = {"role": "assistant", "content": written, "metadata": {"isMultimodal": True}}
    text, image = after(row)["content"]
    assert (text["googleThoughtSignature"], image["image_url"]["url"]) == ("g", "u")
    assert after(row, image=False)["content"][1]["type"] == "text"
    thought = {**row, "reasoning": {"isMultimodal": True, "content": written}}
    assert after(thought)["reasoning"] == {"isMultimodal": False, "content": "A\n[Image: u]\n"}
    broken = {"role": "assistant", "content": "[not json", "metadata": {"isMultimodal": True}}
    assert after(broken) is broken


def test_pictures_of_assistants_and_tools_are_kept():
    row = {"role": "assistant", "content": "here", "imageList": [IMAGE]}
    assert [part["type"] for part in after(row)["content"]] == ["text", "image_url"]
    assert after(row, image=False)["content"].startswith("here\n\n[An image")
    got = {
        "role": "tool",
        "content": "",
        "pluginState": {"images": [{"url": "https://x"}, {"url": "file:x"}, {}]},
    }
    assert [part["type"] for part in after(got)["content"]] == ["image_url"]


def test_a_medium_has_a_name_that_stays_with_its_message():
    assert media_reference("image", 1, None) == "image_1"
    assert media_reference("image", 2, "m") == media_reference("image", 2, "m")
    assert media_reference("image", 1, "m") != media_reference("image", 1, "n")

import base64

import pytest

from triptych import wires
from triptych.errors import UsageError
from triptych.model.profile import MediaLimits
from triptych.wires.pictures import inline_media, picture_side


def test_every_wire_has_a_default_and_every_fact_a_source_and_a_day():
    assert set(wires.DEFAULTS) == set(wires.WIRES)
    for name, profile in wires.PROFILES.items():
        assert profile.name == name
        assert profile.source
        assert profile.dated


@pytest.mark.parametrize(
    ("name", "wire", "found"),
    [
        ("strict jinja", "openai_chat", "strict-jinja"),
        ("Strict_Jinja", None, "strict-jinja"),
        ("system first only", "openai_chat", "compatible"),
        ("claude-opus-4-6-20260101", "anthropic", "claude-without-prefill"),
        ("gemini-3-pro", "gemini", "gemini-3"),
        ("gpt-4o-mini-2024", "openai_chat", "gpt-4o-mini"),
        ("gpt-4o", "openai_responses", "openai-responses-plain"),
    ],
)
def test_a_profile_is_found_by_its_name_or_by_the_model(name, wire, found):
    assert wires.find_profile(name, wire).name == found


def test_an_unknown_profile_lists_those_that_exist():
    with pytest.raises(UsageError, match="anthropic"):
        wires.find_profile("nobody", "anthropic")


def test_a_profile_of_another_wire_is_refused():
    with pytest.raises(UsageError, match="speaks openai_chat"):
        wires.compile([], "anthropic", profile=wires.PROFILES["openai"])


def test_facts_are_replaced_by_their_names_in_json():
    changed = wires.override(wires.PROFILES["openai"], {"callIdLength": 64, "limits": {"images": 3}})
    assert (changed.call_id_length, changed.limits) == (64, MediaLimits(images=3))
    with pytest.raises(UsageError, match="no colour"):
        wires.override(wires.PROFILES["openai"], {"colour": "red"})
    with pytest.raises(UsageError, match="cannot be changed"):
        wires.override(wires.PROFILES["openai"], {"window": "wide"})


def jpeg(width, height):
    size = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + size + b"\x03"


@pytest.mark.parametrize(
    ("raw", "side", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (7).to_bytes(4, "big") + (9).to_bytes(4, "big"), 9, "image/png"),
        (b"GIF89a" + (7).to_bytes(2, "little") + (5).to_bytes(2, "little"), 7, "image/gif"),
        (jpeg(300, 200), 300, "image/jpeg"),
        (
            b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + (99).to_bytes(3, "little") + (49).to_bytes(3, "little"),
            100,
            "image/webp",
        ),
        (
            b"RIFF\0\0\0\0WEBPVP8 " + b"\0" * 10 + (64).to_bytes(2, "little") + (32).to_bytes(2, "little"),
            64,
            "image/webp",
        ),
        (b"%PDF-1.4", None, "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", None, "image/png"),
        (b"GIF89a", None, "image/gif"),
        (b"\xff\xd8", None, "image/jpeg"),
        (b"what", None, None),
    ],
)
def test_the_size_of_a_picture_is_read_from_its_head(raw, side, kind):
    padded = raw + b"\0" * (-len(raw) % 3)
    assert picture_side(base64.b64encode(padded).decode()) == (side, kind)


def test_data_addresses_are_opened():
    assert inline_media("data:text/plain,a%20b")[0].data == base64.b64encode(b"a b").decode()
    assert inline_media("data:image/png;base64,AAAA")[1] == "image/png"
    assert inline_media("data:nothing") is None
    assert picture_side("!") == (None, None)

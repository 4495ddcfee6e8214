"""Files, folders and ZIPs as sources, without trust."""

import gc
import io
import json
import stat
import zipfile

from tests.formats.samples import SAMPLES, chatgpt_conversation

from triptych.formats.read import read
from triptych.formats.source import open_source, read_lines


def packed(members, *, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def shards():
    lamp = chatgpt_conversation("c-2")
    user = lamp["mapping"]["u1"]["message"]
    user["content"] = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Ab1"},
            {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_gone"},
            "What is it?",
        ],
    }
    return {
        "conversations-000.json": json.dumps([chatgpt_conversation("c-1")]),
        "conversations-001.json": json.dumps([lamp]),
        "conversation_asset_file_names.json": '{"file-Ab1.dat": "lamp.png"}',
        "file-Ab1.dat": b"\x89PNG",
        "user.json": '{"id": "user-1"}',
    }


def test_the_shards_of_an_export_are_one_source_and_assets_are_found_beside_them():
    conversations, diagnostics = read(packed(shards()))
    assert [one.conversation.id for one in conversations] == ["c-1", "c-2"]
    missing = [
        one.detail["file"] for one in conversations[1].diagnostics if one.code == "W_MISSING_ATTACHMENT"
    ]
    assert missing == ["file_gone"]
    assert {one.severity for one in diagnostics} == {"info"}


def test_a_folder_reads_as_its_zip_does(tmp_path):
    for name, data in shards().items():
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    assert read(tmp_path)[0] == read(packed(shards()))[0]


def test_a_zip_on_disk_is_let_go_of(tmp_path):
    path = tmp_path / "export.zip"
    path.write_bytes(packed(shards()))
    assert read(path)[0] == read(packed(shards()))[0]
    path.write_bytes(b"PK\x03\x04nonsense")
    assert not read(path)[0]
    gc.collect()


def test_links_in_a_folder_are_not_followed(tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_bytes(SAMPLES["chatgpt"])
    inside = tmp_path / "export"
    inside.mkdir()
    (inside / "link.json").symlink_to(outside)
    conversations, diagnostics = read(inside)
    assert not conversations
    assert "link_skipped" in {one.code for one in diagnostics}


def test_names_that_lead_out_links_and_bombs_are_left_out():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("../up.json", "/etc/top.json", "a/../../b.json", "C:/x.json"):
            archive.writestr(name, SAMPLES["chatgpt"])
        link = zipfile.ZipInfo("link.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("bomb.json", b"[" + b" " * (40 << 20) + b"]")
        archive.writestr("good.json", SAMPLES["claude_ai"])
    bundle = open_source(stream.getvalue())
    assert [file.name for file in bundle.files] == ["good.json"]
    assert len(bundle.diagnostics) == 6
    assert [one.source.format for one in read(stream.getvalue())[0]] == ["claude_ai"]


def test_a_broken_zip_is_a_finding():
    for data in (b"PK\x03\x04nonsense", packed(shards())[:-30], packed(shards())[:200]):
        conversations, diagnostics = read(data)
        assert not conversations
        assert any(one.severity == "error" for one in diagnostics)


def test_a_damaged_member_ends_where_it_is_damaged():
    data = bytearray(packed({"conversations.json": SAMPLES["chatgpt"]}, compression=zipfile.ZIP_STORED))
    place = data.index(b"Perhaps")
    data[place : place + 7] = b"Perhips"
    conversations, diagnostics = read(bytes(data))
    assert conversations or diagnostics


def test_lines_end_at_line_feeds_only():
    file = open_source("a\u2028b\r\n\nlast".encode()).files[0]
    assert list(read_lines(file)) == ["a\u2028b\r".encode(), b"", b"last"]


def test_a_source_that_holds_no_chat_at_all_says_so(tmp_path):
    for data in (packed({}), packed({"a.png": b"\x89PNG", "b.txt": "a list of bolts"})):
        conversations, diagnostics = read(data, name="x.zip")
        assert not conversations
        assert [one.code for one in diagnostics if one.severity == "error"] == ["W_CONVERSATION_SKIPPED"]
    assert "W_CONVERSATION_SKIPPED" in {one.code for one in read(tmp_path)[1]}

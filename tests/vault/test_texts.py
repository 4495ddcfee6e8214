"""Canvas, PDF and images."""

import json

import pytest

from triptych.model.signatures import media_type_of
from triptych.vault.texts import decode_text, render_canvas, render_pdf

CANVAS = {
    "nodes": [
        {"id": "g", "type": "group", "x": 0, "y": 0, "width": 100, "height": 100, "label": "Ideas"},
        {"id": "a", "type": "text", "x": 10, "y": 10, "width": 20, "height": 20, "text": "first\nsecond"},
        {
            "id": "b",
            "type": "file",
            "x": 500,
            "y": 0,
            "width": 10,
            "height": 10,
            "file": "Work/Plan.md",
            "subpath": "#Steps",
        },
        {
            "id": "c",
            "type": "link",
            "x": 300,
            "y": 0,
            "width": 10,
            "height": 10,
            "url": "https://example.org",
        },
        "nonsense",
    ],
    "edges": [{"fromNode": "a", "toNode": "b", "label": "leads to"}, {"fromNode": "a", "toNode": "gone"}],
}


def test_a_canvas_tells_groups_cards_and_connections():
    assert render_canvas(json.dumps(CANVAS), "x.canvas")[0] == (
        "## Ideas\n\nfirst\nsecond\n\n## Outside of groups\n\n![[Work/Plan.md#Steps]]\n\n<https://example.org>\n\n"
        "## Connections\n\n- first → Work/Plan.md: leads to"
    )


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000, "1"])
def test_a_broken_canvas_is_a_diagnostic(text):
    canvas, found = render_canvas(text, "x.canvas")
    assert canvas is None
    assert [one.code for one in found] == ["canvas_unreadable"]


def test_an_empty_or_odd_canvas_is_read():
    assert render_canvas("", "x.canvas") == ("", ())
    assert render_canvas('{"nodes": [{"type": "text", "x": "1", "text": 7}], "edges": 3}', "x") == ("", ())


def pdf(text):
    """A PDF of one page, written by hand."""
    stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        out
        + b"xref\n0 6\n0000000000 65535 f \n"
        + table
        + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(out)
    )


def test_a_pdf_is_read_by_page():
    pytest.importorskip("pypdf")
    assert render_pdf(pdf("Launch on Monday"), "a.pdf") == ("[page 1]\nLaunch on Monday", ())


def test_a_pdf_that_is_none_is_a_diagnostic():
    pytest.importorskip("pypdf")
    assert [one.code for one in render_pdf(b"%PDF-1.4 nonsense", "a.pdf")[1]] == ["pdf_unreadable"]
    assert [one.code for one in render_pdf(pdf(""), "a.pdf")[1]] == ["pdf_without_text"]


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pypdf", None)
    told = render_pdf(b"%PDF-", "a.pdf")[1][0]
    assert told.code == "pdf_needs_package"
    assert "pip install" in told.message


def test_media_types_are_told_by_content():
    assert media_type_of(b"\x89PNG\r\n\x1a\nx") == "image/png"
    assert media_type_of(b"RIFF\0\0\0\0WEBPx") == "image/webp"
    assert media_type_of(b"<?xml?><svg/>") == "image/svg+xml"
    assert media_type_of(b"hello") is None


@pytest.mark.parametrize(
    "data", [b"\0" * 4_096, b"a\0\x01b", b"\xfe\xfd\0", b"\x89PNG\r\n\x1a\n\0", b"\0\xc3\x28"]
)
def test_binary_is_no_note(data):
    assert [one.code for one in decode_text(data, "x.md")[1]] == ["note_binary"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"beds\0 and seeds", "beds and seeds"),
        ("Beete säen".encode() + b"\0" * 4_000, "Beete säen"),
        ("plain words\r\n\t".encode("utf-16-le"), "plain words\r\n\t"),
    ],
)
def test_a_note_with_nul_bytes_is_read_without_them_and_says_so(data, text):
    found, told = decode_text(data, "x.md")
    assert found == text
    assert [one.code for one in told] == ["nul_left_out"]

"""Law: whatever bytes a file of the vault holds, reading it gives a note or a diagnostic, and a JSON value."""

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from triptych.vault.files import FileInfo
from triptych.vault.notes import outline_of, parse_note

NAMES = st.sampled_from(["a.md", "a.canvas", "a.txt", "a.bin"])
YAML = st.text(alphabet="abk: -[]{}&*!|>'\"#\n\t019.e~", max_size=60).map(
    lambda text: f"---\n{text}\n---\n#t [[l]]".encode()
)
NODE = st.dictionaries(
    st.sampled_from(["id", "type", "text", "x", "y", "width", "height", "file", "label", "url", "subpath"]),
    st.one_of(
        st.text(max_size=5), st.sampled_from(["group", "file", "link"]), st.floats(), st.integers(), st.none()
    ),
    max_size=8,
)
CANVAS = st.fixed_dictionaries(
    {"nodes": st.lists(NODE, max_size=4), "edges": st.lists(NODE, max_size=2)}
).map(msgspec.json.encode)


@settings(max_examples=300, deadline=None)
@given(NAMES, st.one_of(st.binary(max_size=80), YAML, CANVAS))
@example(
    "a.canvas", b'{"nodes":[{"type":"group","x":NaN,"width":1e999},{"type":"text","x":' + b"9" * 400 + b"}]}"
)
@example("a.md", b"---\nn: " + b"9" * 300 + b"\n---\n")
@example("a.md", b"---\nn: 99999999999999999999999\nf: .inf\n---\n")
@example("a.md", b'---\ns: "\\ud800 \\0"\n---\n')
def test_any_bytes_give_a_note_or_a_diagnostic(name, data):
    file = FileInfo(name, len(data), 0, 0)
    note, found = parse_note(data, file)
    assert note is not None or found
    msgspec.json.encode((note, found))
    outline = outline_of(data, file)
    if note is not None and name == "a.md":
        assert outline.info.tags == note.info.tags


def test_a_pdf_of_any_bytes_is_told():
    pytest.importorskip("pypdf")
    for data in (b"", b"%PDF-1.7", b"\0" * 50):
        note, found = parse_note(data, FileInfo("a.pdf", len(data), 0, 0))
        assert note is None
        assert found[0].code == "pdf_unreadable"

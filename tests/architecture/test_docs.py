import importlib.util
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.views.display import from_row, to_row
from triptych.views.record import Record, from_record, to_record

DOCS = Path(__file__).resolve().parents[2] / "docs"


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


generate = module(DOCS / "generate.py")
fields = module(DOCS / "pages" / "fields.py")
KEYS = {"conversation_id": "c", "project_id": "p", "user_id": "u"}


def test_generated_pages_are_what_would_be_written():
    assert not generate.stale(generate.built())


def test_every_field_of_both_types_has_a_line():
    assert set(fields.FIELDS) >= {*fields.RECORD_FIELDS, *fields.DISPLAY_FIELDS}


def test_every_column_that_the_table_names_exists():
    columns = set(Record.__struct_fields__)
    named = {stored.split("`")[1] for stored, _ in fields.FIELDS.values() if stored.startswith("column `")}
    assert named <= columns


@given(st.sampled_from(sorted({*fields.RECORD_FIELDS, *fields.DISPLAY_FIELDS} - {"id", "role"})), st.data())
@settings(max_examples=200, deadline=None)
def test_every_field_of_a_foreign_row_is_shown_again_after_it_was_stored(name, data):
    value = data.draw(st.sampled_from(["x", 7, None, True, {"a": 1}, [{"id": "i", "url": "u"}]]))
    row = {
        "id": "m",
        "role": data.draw(st.sampled_from(["user", "assistant", "tool", "system"])),
        name: value,
    }
    message, _ = from_row(row)
    stored, _ = from_record(to_record(message, **KEYS))
    assert to_row(stored)[name] == value

from triptych.model.parts import InlineMedia, UrlMedia
from triptych.wires.reading import values as v
from triptych.wires.reading.media import image_from_url, joined_base64, media_from_url


def test_counts_are_whole_and_not_negative():
    assert [v.as_count(x) for x in (3, 3.0, True, -1, 2.5, "3", None, 2**60)] == [
        3,
        3,
        None,
        None,
        None,
        None,
        None,
        None,
    ]


def test_texts_are_cleaned_and_halves_joined():
    assert v.as_text("a\x00\ud83d\ude00\ud83d") == "a�😀�"
    assert v.as_text(3) == ""


def test_values_are_written_as_compact_json():
    assert v.json_text({"a": "é"}) == '{"a":"é"}'
    assert (v.json_text(None), v.json_text("x"), v.json_text({1, 2})) == ("", "x", "")


def test_whole_objects_are_told_from_beginnings():
    assert v.is_whole_object(' {"a": {}} ')
    assert not any(v.is_whole_object(text) for text in ('{"a": {}', "[]", "{}{}", "}", "", "x}"))


def test_what_is_kept_can_be_stored():
    assert v.kept_json({"a": ["\ud800", float("nan")]}) == {"a": ["�", None]}
    deep = value = []
    for _ in range(100):
        value.append([])
        value = value[0]
    assert v.kept_json(deep) is None
    assert v.read_value("[" * 100_000) is None
    assert v.as_map({"a": 1}.items()) == {}


def test_addresses_become_media():
    assert media_from_url("data:image/PNG;base64,QU JD") == (InlineMedia(data="QUJD"), "image/png")
    assert media_from_url("data:,plain") == (UrlMedia(url="data:,plain"), None)
    assert image_from_url({"detail": "low"}) is None


def test_base64_in_pieces_is_joined():
    assert joined_base64(["QUJD", "", "REVG"]) == "QUJDREVG"
    assert joined_base64(["QQ==", "Qg=="]) == "QUI="
    assert joined_base64(["Q=", "Qg=="]) == "Q=Qg=="

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.wires.sse import Frame, LineParser, ReplayFilter, SseParser


def parsed(data, *cuts):
    parser = SseParser()
    places = [0, *sorted(cuts), len(data)]
    frames = [f for a, b in itertools.pairwise(places) for f in parser.feed(data[a:b])]
    return frames + parser.close()


def test_every_line_ending_ends_a_line():
    for end in (b"\n", b"\r", b"\r\n"):
        data = b"event: a" + end + b"data: 1" + end + b"data:2" + end + end + b"data: 3" + end + end
        assert parsed(data) == [Frame("1\n2", "a"), Frame("3")]


def test_comments_unknown_fields_and_the_byte_order_mark_are_skipped():
    assert parsed("\ufeff: ping\nretry: 3\nid: 7\ndata: x\n\n: y\n\n".encode()) == [Frame("x", "", "7")]


def test_a_last_event_without_its_blank_line_still_counts():
    assert parsed(b"data: a\n\ndata: b") == [Frame("a"), Frame("b")]


def test_unreadable_bytes_become_replacement_characters():
    assert parsed(b"data: \xff\xfe\n\n") == [Frame("��")]


def test_lines_of_json_may_come_in_any_cut():
    parser = LineParser()
    assert parser.feed(b'{"a":') == []
    assert parser.feed(b'1}\n\n{"b"') == [Frame('{"a":1}')]
    assert parser.feed(b":2}") == []
    assert parser.close() == [Frame('{"b":2}')]


@settings(max_examples=150, deadline=None)
@given(
    st.text("ab:\n\r {}d€", max_size=30).map(lambda t: ("data: é" + t + "\n\ndata: b\r\r" + t).encode()),
    st.lists(st.integers(0, 90), max_size=6),
)
def test_where_the_network_cuts_does_not_matter(data, cuts):
    assert parsed(data, *(cut for cut in cuts if cut <= len(data))) == parsed(data)


def test_a_replayed_number_is_old_news_until_new_numbers_come():
    seen = ReplayFilter()
    live = [seen.is_new(number) for number in (1, 2, 3, 4, 5)]
    replayed = [seen.is_new(number) for number in (4, 5, 6, 7)]
    assert live == [True] * 5
    assert replayed == [False, False, True, True]


def test_a_reconnect_that_begins_with_the_last_number_is_a_replay():
    seen = ReplayFilter()
    assert seen.is_new(5)
    seen.resumed()
    assert [seen.is_new(number) for number in (5, 6)] == [False, True]


def test_a_server_that_numbers_everything_alike_is_not_replaying():
    seen = ReplayFilter()
    assert all(seen.is_new(0) for _ in range(4))
    assert all(seen.is_new(None) for _ in range(4))


def test_a_line_that_begins_as_an_object_is_an_event_by_itself():
    assert parsed(b'data: a\n{"error": 1}\nevent: e\ndata: b\n\n') == [
        Frame("a"),
        Frame('{"error": 1}'),
        Frame("b", "e"),
    ]

"""Laws of reading a topic, over random topics with every role, group, signal, thread and fault."""

import copy
import json
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.flow.shown import shown_ids
from tests.properties.flow_topics import any_topic, groups, tool_turns, topics

from triptych.cli.pipe.flow import handle
from triptych.flow import ANY_THREAD, parse, walk
from triptych.flow.doctor import apply, diagnose
from triptych.flow.entries import messages_of

REASONS = {"inactive_branch", "being_created", "thread", "compressed", "internal", "unreachable"}
NUMEROUS = settings(max_examples=1200, deadline=None)


def readable_ids(rows):
    found = set()
    for row in rows:
        key = row.get("id") if isinstance(row, dict) else None
        if isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool)):
            found.add(str(key))
    return found


@NUMEROUS
@given(any_topic(), groups(), st.sampled_from([ANY_THREAD, ANY_THREAD, None, "T"]))
def test_every_message_is_in_exactly_one_row_or_elsewhere(rows, given_groups, thread):
    flow = parse(rows, given_groups, thread=thread)
    shown = Counter(key for entry in flow.walk.entries for key in messages_of(entry))
    assert max(shown.values(), default=1) == 1
    assert not set(shown) & set(flow.elsewhere)
    assert set(shown) | set(flow.elsewhere) == readable_ids(rows)
    drawn = Counter(map(str, shown_ids(flow.flat_list)))
    assert drawn == shown
    assert {place.reason for place in flow.elsewhere.values()} <= REASONS


@NUMEROUS
@given(any_topic(), groups())
def test_reading_changes_nothing_and_is_repeatable(rows, given_groups):
    before = copy.deepcopy(rows)
    first, second = (parse(rows, given_groups) for _ in range(2))
    assert repr(rows) == repr(before)
    assert repr(first.flat_list) == repr(second.flat_list)
    assert repr(first.context_tree) == repr(second.context_tree)


@NUMEROUS
@given(any_topic(), groups())
def test_rows_are_in_order_of_effective_time(rows, given_groups):
    times = [entry.time for entry in walk(rows, given_groups).entries]
    assert times == sorted(times)


@NUMEROUS
@given(topics())
def test_a_child_never_comes_before_its_parent(rows):
    found = walk(rows)
    place = {step.id: number for number, step in enumerate(found.path)}
    by_id = {row["id"]: row for row in rows}
    for entry in found.entries:
        above = by_id[entry.id].get("parentId") if entry.kind in {"message", "supervisor", "group"} else None
        redirected = any(row.get("lastMessageId") == above for row in rows)
        if above in place and not redirected:
            assert place[above] < place[entry.id]


@NUMEROUS
@given(any_topic())
def test_no_sibling_that_lost_a_fork_is_shown(rows):
    found = walk(rows)
    shown = {key for entry in found.entries if entry.kind != "recovered" for key in messages_of(entry)}
    for key, fork in found.forks.items():
        assert fork.siblings[fork.index] == key
        assert fork.count == len(fork.siblings)
        assert any(other not in shown for other in fork.siblings)


@NUMEROUS
@given(tool_turns())
def test_the_mark_of_a_fork_leads_to_every_sibling(rows):
    """Choosing another place of a mark at its parent shows that sibling and hides the one before."""
    found = walk(rows)
    by_id = {row["id"]: row for row in rows}
    for key, fork in found.forks.items():
        parent = by_id[key]["parentId"]
        for index, other in enumerate(fork.siblings):
            about = {**by_id[parent].get("metadata", {}), "activeBranchIndex": index}
            switched = [{**row, "metadata": about} if row["id"] == parent else row for row in rows]
            shown = {step.id for step in walk(switched).path}
            assert other in shown, (parent, index)
            assert key in shown or other != key


@NUMEROUS
@given(any_topic(), groups())
def test_the_json_edge_takes_everything(rows, given_groups):
    answer = handle({"messages": rows, "messageGroups": list(given_groups)})
    assert json.loads(json.dumps(answer))["flatList"] is not None


@NUMEROUS
@given(any_topic(), groups())
def test_the_doctor_answers_for_any_topic_and_names_only_hidden_messages(rows, given_groups):
    found = diagnose(rows, given_groups)
    elsewhere = parse(rows, given_groups).elsewhere
    assert all(key in elsewhere for issue in found.issues for key in issue.hidden_message_ids)
    assert len(apply(rows, found.patch)) == len(rows)

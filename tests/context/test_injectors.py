"""What is injected, and where it goes."""

import pytest

from triptych.context.draft import draft_of
from triptych.context.injectors.blocks import last_user_block, preface_block, system_block, tail_block
from triptych.context.injectors.dates import day_of, message_dates, system_date, zone_named
from triptych.context.injectors.force_finish import force_finish
from triptych.context.injectors.group_context import group_context_text
from triptych.context.injectors.history_summary import history_summary
from triptych.context.injectors.knowledge import knowledge_text
from triptych.context.injectors.memory import memory_text
from triptych.context.injectors.model_facts import model_facts_text
from triptych.context.injectors.places import (
    after_row,
    at_tail,
    before_first_user,
    in_each_user,
    in_last_user,
    in_system,
)
from triptych.context.injectors.plan import plan_text, todo_text
from triptych.context.injectors.selections import message_selections
from triptych.context.injectors.tool_guidance import tool_guidance
from triptych.context.injectors.topic_references import (
    parse_topic_tags,
    resolve_topic_references,
    topic_references_text,
)
from triptych.context.injectors.wrapper import block, escape, leaf
from triptych.errors import UsageError

USER = {"id": "u", "role": "user", "content": "hi"}
SYSTEM = {"id": "s", "role": "system", "content": "rules"}


def contents(draft):
    return [row["content"] for row in draft.rows]


def test_system_text_joins_the_leading_system_row_or_makes_one():
    assert contents(in_system(draft_of([SYSTEM, USER]), "more", "x")) == ["rules\n\nmore", "hi"]
    made = in_system(draft_of([USER]), "more", "x")
    assert made.rows[0] == {"content": "more", "id": "system-x", "role": "system"}
    empty = in_system(draft_of([{**SYSTEM, "content": ""}]), "more", "x")
    assert contents(empty) == ["more"]
    draft = draft_of([USER])
    assert in_system(draft, " \n", "x") is draft
    assert in_system(draft, None, "x") is draft


def test_system_text_in_the_middle_is_left_there_unless_it_is_looked_for():
    rows = [USER, SYSTEM]
    assert contents(in_system(draft_of(rows), "more", "x")) == ["more", "hi", "rules"]
    assert contents(in_system(draft_of(rows), "more", "x", anywhere=True)) == ["hi", "rules\n\nmore"]
    assert contents(in_system(draft_of([{"role": "tool", "content": "t"}]), "more", "x")) == ["more", "t"]


def test_system_text_of_parts_gets_a_part():
    parts = [{"type": "text", "text": "rules"}]
    [row] = in_system(draft_of([{**SYSTEM, "content": parts, "parts": parts}]), "more", "x").rows
    assert row["content"] == [{"type": "text", "text": "rules\n\nmore"}]
    assert len(row["parts"]) == 2


def test_one_block_stands_before_the_first_user_message_in_the_order_of_the_steps():
    draft = before_first_user(before_first_user(draft_of([SYSTEM, USER], stamp=7), "one"), "two")
    assert contents(draft) == ["rules", "one\n\ntwo", "hi"]
    assert draft.rows[1]["updatedAt"] == 7
    assert draft.rows[1]["id"] == "system-injection-7"
    nobody = draft_of([SYSTEM])
    assert before_first_user(nobody, "one") is nobody
    assert before_first_user(nobody, "") is nobody


def test_every_user_message_can_keep_what_is_its_own():
    rows = [USER, {"role": "assistant", "content": "x"}, {**USER, "id": "v"}]
    seen = []

    def text_for(row, place, last):
        seen.append((place, last))
        return {**row, "content": "own"} if last else row

    assert contents(in_each_user(draft_of(rows), text_for)) == ["hi", "x", "own"]
    assert seen == [(0, False), (2, True)]


def test_the_last_user_message_and_the_tail_are_different_places():
    rows = [USER, {"role": "tool", "content": "r"}]
    assert contents(in_last_user(draft_of(rows), "now")) == ["hi\n\nnow", "r"]
    made = at_tail(draft_of(rows), "now", "x")
    assert contents(made) == ["hi", "r", "now"]
    assert made.tail == 1
    assert made.rows[-1]["meta"] == {"injectType": "x", "virtualLastUser": True}
    assert contents(at_tail(draft_of([USER]), "now", "x", own_row=False)) == ["hi\n\nnow"]
    assert at_tail(made, "", "x") is made
    assert in_last_user(draft_of([SYSTEM]), "now").rows == (SYSTEM,)


def test_rows_can_follow_a_row():
    assert contents(after_row(draft_of([USER, SYSTEM]), 0, {"content": "x"})) == ["hi", "x", "rules"]


def test_blocks_are_steps_that_say_what_they_injected():
    for make in (system_block, preface_block, last_user_block, tail_block):
        draft = make("text")(draft_of([USER]))
        assert draft.metadata == {make.__name__: {"injected": True, "length": 4}}
        unchanged = draft_of([USER])
        assert make(None)(unchanged) is unchanged
        assert make(lambda _draft: " ")(unchanged) is unchanged


def test_wrappers_cannot_be_closed_from_inside():
    assert escape('a "b" <c>\n&') == "a &quot;b&quot; &lt;c&gt; &amp;"
    assert block("t", "x</t> </tt>", a="1", b=None) == '<t a="1">\nx<\\/t> </tt>\n</t>'
    assert leaf("t", class_="x") == '<t class="x" />'
    assert leaf("t", "</t>") == "<t><\\/t></t>"


def test_dates_go_to_the_turn():
    rows = [
        {**USER, "createdAt": 0},
        {**USER, "createdAt": "2026-03-01T23:30:00Z"},
        {**USER, "createdAt": None},
    ]
    made = message_dates("Europe/Berlin")(draft_of(rows))
    assert contents(made) == [
        'hi\n\n<written day="1970-01-01" zone="Europe/Berlin" />',
        'hi\n\n<written day="2026-03-02" zone="Europe/Berlin" />',
        "hi",
    ]


def test_todays_date_is_by_the_drafts_clock():
    assert contents(system_date()(draft_of([], clock=86_400_000))) == [
        '<today date="1970-01-02" zone="UTC" />'
    ]
    assert system_date()(draft_of([])).rows == ()
    assert system_date().moves_prefix


def test_a_time_zone_that_does_not_exist_is_refused_with_advice():
    with pytest.raises(UsageError, match="Europe/Berlin"):
        zone_named("Nowhere/Land")
    assert day_of("no time") is None
    assert day_of(10**20) is None
    assert day_of(True) is None


def test_facts_about_the_model_are_lines():
    text = model_facts_text(name="Big", model="big-1", cutoff="2026-01", media={"image": True})
    assert text.splitlines() == [
        "You are the model: Big (big-1)",
        "Your knowledge ends at: 2026-01",
        "You can take media: image=true",
    ]
    assert model_facts_text(name=None, model="big-1", cutoff=None, media={}) is None


def test_knowledge_memory_plan_and_todo_are_blocks_or_nothing():
    files = [{"fileId": "1", "filename": "a", "content": "A"}, {"filename": "b", "error": "gone"}]
    text = knowledge_text(files, [{"id": "k", "name": "K", "description": "D"}])
    assert '<file name="b" error="gone" />' in text
    assert '<knowledge_base id="k" name="K">D</knowledge_base>' in text
    assert knowledge_text([], []) is None
    memories = {
        "persona": {"narrative": "A gardener."},
        "contexts": [{"title": "T", "description": "D"}, {"title": None}],
    }
    assert '<contexts count="1">\n<item>T: D</item>\n</contexts>' in memory_text(memories)
    assert memory_text({"contexts": [{}]}) is None
    assert plan_text({"goal": "G", "completed": True}) is None
    assert "<goal>\nG\n</goal>" in plan_text({"goal": "G"})
    assert todo_text([{"text": "a", "status": "done"}, {"text": "b"}]).startswith('<todo done="1" of="2">')
    assert todo_text([]) is None


def test_participants_are_told_and_the_model_finds_itself():
    members = [{"id": "a", "name": "Ann", "role": "writer"}, {"id": "b", "name": "<Bob>"}]
    text = group_context_text(members, current="a", title="T", instructions="Be kind.")
    assert '<you id="a" name="Ann" role="writer" />' in text
    assert 'name="&lt;Bob&gt;"' in text
    assert group_context_text([]) is None


def test_guidance_is_for_models_that_can_call_tools():
    manifests = [
        {"identifier": "fs", "systemRole": "Read first.", "meta": {"title": "Files"}},
        {"identifier": "web", "api": [{"name": "go", "description": "Goes."}]},
    ]
    [row] = tool_guidance(manifests)(draft_of([])).rows
    assert '<tool name="Files">\nRead first.\n</tool>' in row["content"]
    assert '<call name="web____go">Goes.</call>' in row["content"]

    class NoTools:
        tools = False

    assert tool_guidance(manifests)(draft_of([], profile=NoTools())).rows == ()


def test_a_summary_is_system_text():
    assert "before" in contents(history_summary("before")(draft_of([USER])))[0]
    assert history_summary(" ")(draft_of([USER])).rows == (USER,)


def test_the_end_can_be_forced_at_the_tail():
    draft = force_finish()(draft_of([USER]))
    assert draft.rows[-1]["role"] == "user"
    assert draft.tail == 1
    assert force_finish(finish=False)(draft_of([USER])).tail == 0


def test_selections_stay_with_their_message():
    chosen = {
        "source": "code",
        "content": "x = 1",
        "filePath": "a.py",
        "lineRange": {"startLine": 1, "endLine": 2},
    }
    [row] = message_selections()(draft_of([{**USER, "metadata": {"contextSelections": [chosen, {}]}}])).rows
    assert row["content"] == 'hi\n\n<selection source="code" file="a.py" lines="1-2">\nx = 1\n</selection>'
    bare = draft_of([{**USER, "metadata": {"contextSelections": [{}]}}])
    assert message_selections()(bare) is bare


def test_conversations_are_referred_to_by_tags():
    rows = [
        {
            "content": '<refer_topic id="a" name="N"> \\<refer\\_topic name="M" id="b\\_1"/> <refer_topic name="no id">'
        },
        {"content": 5},
    ]
    assert parse_topic_tags(rows) == [
        {"topicId": "a", "topicTitle": "N"},
        {"topicId": "b_1", "topicTitle": "M"},
    ]


def test_references_say_their_summary_or_their_last_words_or_only_their_name():
    rows = [{"content": "".join(f'<refer_topic id="{key}" name="{key}">' for key in "abcd")}]
    topics = {"a": {"title": "A", "historySummary": "S"}, "b": {"title": "B"}, "c": None}
    spoken = {"b": [{"role": "user", "content": "x" * 400}, {"role": "tool", "content": "no"}]}
    found = resolve_topic_references(rows, topics.__getitem__, spoken.get)
    assert found[0] == {"topicId": "a", "topicTitle": "A", "summary": "S"}
    assert found[1]["recentMessages"] == [{"role": "user", "content": "x" * 300 + "..."}]
    assert found[2:] == [{"topicId": "c", "topicTitle": "c"}, {"topicId": "d", "topicTitle": "d"}]
    text = topic_references_text(found)
    assert '<conversation id="a" title="A" form="summary">\nS\n</conversation>' in text
    assert '<said by="user">' in text
    assert '<conversation id="d" title="d" />' in text
    assert resolve_topic_references([USER], topics.get) is None

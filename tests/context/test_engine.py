"""The engine: order, aborting, errors, stats, and taking over settled turns."""

import pytest

from triptych.context import pipelines
from triptych.context.contract import Contract, Step, step
from triptych.context.draft import draft_of, note
from triptych.context.engine import ContextEngine, as_step
from triptych.context.rowwork import each_row
from triptych.errors import PipelineError, UsageError

ROWS = [{"id": "u", "role": "user", "content": "hi"}, {"id": "a", "role": "assistant", "content": "yes"}]


@step("shout", writes={"user.each"}, scope="message", roles={"user"})
def shout(draft):
    """Writes the user's words large."""
    return each_row(
        draft,
        lambda row: {**row, "content": row["content"].upper()} if row["content"].islower() else row,
        ("user",),
    )


@step("stop")
def stop(draft):
    """Ends the run."""
    return draft.abort("enough")


@step("break")
def breaks(draft):
    """Fails."""
    raise ValueError("x" * 400)


@step("nothing")
def nothing(draft):
    """Changes nothing."""
    return draft


def test_steps_run_in_order_and_the_input_stays():
    run = ContextEngine([shout, nothing]).run(draft_of(ROWS))
    assert [row["content"] for row in run.rows] == ["HI", "yes"]
    assert ROWS[0]["content"] == "hi"
    assert run.draft.initial == tuple(ROWS)


def test_a_step_that_changes_nothing_gives_the_same_draft_back():
    draft = draft_of(ROWS)
    assert ContextEngine([nothing]).run(draft).draft is draft
    quiet = ContextEngine([shout]).run(draft_of([{"id": "u", "role": "user", "content": "HI"}]))
    assert quiet.draft.rows is quiet.draft.initial


def test_adding_removing_and_replacing_give_new_engines():
    engine = ContextEngine().add(shout, nothing, shout)
    assert engine.names == ("shout", "nothing", "shout")
    assert engine.remove("shout").names == ("nothing",)
    assert engine.replace("shout", stop).names == ("stop", "nothing", "stop")
    assert engine.insert_before("nothing", stop, stop).names == ("shout", "stop", "stop", "nothing", "shout")
    assert engine.clone().steps == engine.steps
    assert engine.clear().names == ()
    assert engine.names == ("shout", "nothing", "shout")


def test_an_unknown_name_says_which_there_are():
    with pytest.raises(UsageError, match="shout"):
        ContextEngine([shout]).replace("nowhere", nothing)
    with pytest.raises(UsageError, match="no step 'nowhere'"):
        ContextEngine([shout]).insert_before("nowhere", nothing)


def test_aborting_returns_the_rows_so_far_and_counts_the_step_that_did():
    run = ContextEngine([shout, stop, breaks]).run(draft_of(ROWS))
    assert run.aborted == "enough"
    assert run.rows[0]["content"] == "HI"
    assert run.stats.processed_count == 2


def test_a_draft_that_is_aborted_already_runs_nothing():
    run = ContextEngine([breaks]).run(draft_of(ROWS).abort("before"))
    assert run.aborted == "before"
    assert run.stats.processed_count == 0


def test_a_local_step_can_abort_too_and_loses_no_rows():
    @step("local_stop", scope="message")
    def local_stop(draft):
        """Ends the run."""
        return draft.abort("here")

    rows = [{"id": str(number), "role": "user", "content": "x"} for number in range(9)]
    run = ContextEngine([local_stop, breaks]).run(draft_of(rows))
    assert run.aborted == "here"
    assert list(run.rows) == rows


def test_an_error_names_the_step_cuts_the_cause_and_keeps_it():
    with pytest.raises(PipelineError) as caught:
        ContextEngine([breaks]).run(draft_of(ROWS))
    assert caught.value.processor == "break"
    assert isinstance(caught.value.cause, ValueError)
    assert len(str(caught.value.cause)) == 400
    assert str(caught.value).endswith("x" * 300 + "…")


def test_a_step_that_returns_something_else_is_an_error():
    @step("wrong")
    def wrong(draft):
        """Gives rows instead of a draft."""
        return draft.rows

    with pytest.raises(PipelineError, match="Draft"):
        ContextEngine([wrong]).run(draft_of(ROWS))


def test_stats_are_kept_by_position_and_name_and_tell_what_changed():
    ticks = iter(range(100))
    run = ContextEngine([shout, nothing, shout]).run(draft_of(ROWS), timer=lambda: float(next(ticks)))
    assert list(run.stats.processor_durations) == ["0.shout", "1.nothing", "2.shout"]
    assert run.stats.total_duration > 0
    first, second, third = run.stats.steps
    assert first.changes().edited == 1
    assert (second.changes().edited, third.changes().edited) == (0, 0)
    assert first.tokens(lambda row: len(row["content"])) == (2, 2)
    told = run.stats.as_json(lambda row: len(row["content"]))
    assert told["changes"]["0.shout"] == {"added": 0, "removed": 0, "edited": 1}
    assert told["tokens"]["0.shout"] == {"before": 2, "after": 2}
    assert "tokens" not in run.stats.as_json()


def test_without_a_timer_durations_are_zero():
    assert ContextEngine([shout]).run(draft_of(ROWS)).stats.total_duration == 0


def test_any_callable_with_promises_is_a_step():
    class Loud:
        name = "loud"
        reads = ()
        writes = ("user.each",)
        may_drop = False
        moves_prefix = False
        scope = "message"

        def __call__(self, draft):
            return shout(draft)

    made = as_step(Loud())
    assert made.writes == frozenset({"user.each"})
    assert ContextEngine([Loud()]).run(draft_of(ROWS)).rows[0]["content"] == "HI"


def test_a_function_without_promises_is_refused_with_advice():
    with pytest.raises(UsageError, match="@step"):
        ContextEngine([lambda draft: draft])


def test_validation_finds_an_empty_pipeline_a_nameless_step_and_a_wrong_order():
    codes = [problem.code for problem in ContextEngine().validate()]
    assert codes == ["empty_pipeline"]
    bad = ContextEngine(
        [
            Step(Contract(name="", reads=frozenset({"flat"})), lambda draft: draft),
            Step(Contract(name="late", writes=frozenset({"flat"}), lookback=1), lambda draft: draft),
            Step(Contract(name="odd", writes=frozenset({"my.own.mark"})), lambda draft: draft),
        ]
    )
    assert [problem.code for problem in bad.validate()] == [
        "nameless_step",
        "unknown_mark",
        "wrong_order",
        "useless_lookback",
    ]


def test_names_may_repeat():
    assert ContextEngine([shout, nothing, shout]).validate() == ()


@pytest.mark.parametrize(
    "engine",
    [
        pipelines.chat(instructions="x", zone="UTC", template="{{text}}", disabled_tools=["a"]),
        pipelines.agents(members={"a": {"name": "A"}}, current="a", title="T"),
    ],
)
def test_the_ready_pipelines_stand_in_a_right_order(engine):
    assert engine.validate() == ()


def test_a_later_run_works_only_on_what_is_new():
    seen = []

    @step("watch", scope="message")
    def watch(draft):
        """Looks."""
        seen.append(len(draft.rows))
        return draft

    rows = [
        {"id": f"{number}", "role": "user" if number % 2 == 0 else "assistant", "content": "x"}
        for number in range(200)
    ]
    engine = ContextEngine([watch])
    first = engine.run(draft_of(rows))
    assert sum(seen) == 200
    seen.clear()
    second = engine.run(draft_of([*rows, {"id": "n", "role": "user", "content": "new"}]), after=first)
    assert sum(seen) == 3
    assert second.stats.reused == 198
    assert second.rows == (*rows, {"id": "n", "role": "user", "content": "new"})


def test_engines_that_share_the_steps_of_a_history_take_over_from_each_other():
    shared = pipelines.history_steps()
    rows = [
        {"id": f"{number}", "role": "user" if number % 2 == 0 else "assistant", "content": "x"}
        for number in range(60)
    ]
    first = pipelines.chat(history=shared, todos=[{"text": "one"}]).run(draft_of(rows))
    second = pipelines.chat(history=shared, instructions="New.").run(draft_of(rows), after=first)
    assert second.stats.reused > 50
    assert second.rows == pipelines.chat(instructions="New.").run(draft_of(rows)).rows
    alone = pipelines.chat(instructions="New.").run(draft_of(rows), after=first)
    assert alone.rows == second.rows


def test_another_profile_takes_nothing_over():
    class Blind:
        media = ()
        tools = False
        token_factor = 1.0
        window = None

    rows = [{"id": "u", "role": "user", "content": "x", "imageList": [{"url": "https://x/i.png"}]}]
    engine = pipelines.chat()
    first = engine.run(draft_of(rows))
    assert isinstance(first.rows[0]["content"], list)
    second = engine.run(draft_of(rows, profile=Blind()), after=first)
    assert isinstance(second.rows[0]["content"], str)


def test_entries_that_are_no_messages_are_left_out_with_a_diagnostic():
    draft = draft_of([ROWS[0], "no message", None])
    assert draft.rows == (ROWS[0],)
    assert [problem.where for problem in draft.diagnostics] == ["1", "2"]


def test_notes_add_up_under_the_name_of_the_step():
    draft = note(note(draft_of(ROWS, metadata={"kept": 1}), "s", rows=2, flag=True), "s", rows=3, flag=False)
    assert draft.metadata == {"kept": 1, "s": {"rows": 5, "flag": False}}


def test_an_async_step_is_refused_before_any_run_and_told_what_to_do():
    @step("fetch")
    async def fetch(draft):
        """Fetches."""
        return draft

    class Fetch:
        name = "fetch"

        async def __call__(self, draft):
            return draft

    for asynchronous in (fetch, Fetch()):
        with pytest.raises(UsageError, match="'fetch' is async"):
            ContextEngine([asynchronous])

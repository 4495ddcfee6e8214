"""Histories for tests: valid ones with tools, and wild rows of any shape."""

from hypothesis import strategies as st

TEXT = st.text(alphabet="abc défg 字。\n{}<>\"'&", max_size=40)
WORDS = st.text(alphabet="abcdefgh ", min_size=1, max_size=30)


@st.composite
def turns(draw, *, number, agents=(None,)):
    """One turn: a user message, some tool steps (ids may repeat over steps), an answer or an open end."""
    rows = [{"id": f"u{number}", "role": "user", "content": draw(WORDS), "createdAt": number * 1000}]
    agent = draw(st.sampled_from(agents))
    said = {} if agent is None else {"agentId": agent}
    for step in range(draw(st.integers(0, 3))):
        count = draw(st.integers(1, 3))
        prefix = draw(st.sampled_from(["call", f"c{number}-{step}"]))
        calls = [
            {
                "id": f"{prefix}-{index}",
                "identifier": "fs",
                "apiName": "read",
                "arguments": "{}",
                "type": "builtin",
            }
            for index in range(count)
        ]
        rows.append(
            {"id": f"a{number}-{step}", "role": "assistant", "content": draw(TEXT), "tools": calls, **said}
        )
        for index, call in enumerate(calls):
            rows.append(
                {
                    "id": f"t{number}-{step}-{index}",
                    "role": "tool",
                    "tool_call_id": call["id"],
                    "content": draw(WORDS),
                    "plugin": {"identifier": "fs", "apiName": "read"},
                    **said,
                }
            )
    if draw(st.booleans()) or len(rows) == 1:
        rows.append({"id": f"a{number}", "role": "assistant", "content": draw(WORDS), **said})
    return rows


@st.composite
def histories(draw, *, least=1, most=8, agents=(None,), summaries=True):
    """A valid history: maybe system text, maybe a summary, whole turns."""
    rows = []
    if draw(st.booleans()):
        rows.append({"id": "s", "role": "system", "content": draw(WORDS)})
    if summaries and draw(st.booleans()):
        rows.append({"id": "sum", "role": "compressedGroup", "content": draw(WORDS)})
    for number in range(draw(st.integers(least, most))):
        rows.extend(draw(turns(number=number, agents=agents)))
    return tuple(rows)


_SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | TEXT
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
_ROLES = (
    st.sampled_from(
        [
            "system",
            "user",
            "assistant",
            "tool",
            "assistantGroup",
            "supervisor",
            "agentCouncil",
            "tasks",
            "groupTasks",
            "task",
            "compressedGroup",
            "verify",
            "taskCallback",
            "other",
        ]
    )
    | _JSON
)
_KEYS = (
    "content",
    "tools",
    "tool_calls",
    "tool_call_id",
    "children",
    "members",
    "tasks",
    "metadata",
    "meta",
    "reasoning",
)
_MORE_KEYS = (
    "plugin",
    "pluginState",
    "pluginError",
    "imageList",
    "fileList",
    "agentId",
    "id",
    "parentId",
    "parts",
    "extra",
)


@st.composite
def wild_rows(draw):
    """Rows as foreign programs could write them: any value anywhere."""
    count = draw(st.integers(0, 6))
    return tuple(
        {
            **({"role": draw(_ROLES)} if draw(st.integers(0, 9)) else {}),
            **{key: draw(_JSON) for key in draw(st.lists(st.sampled_from(_KEYS + _MORE_KEYS), max_size=5))},
        }
        for _ in range(count)
    )

"""Random messages, as our own program may hold them."""

import msgspec
from hypothesis import strategies as st

from triptych.model import messages as m
from triptych.model import parts as p
from triptych.model import references as r
from triptych.model import status as s
from triptych.model.origins import PLAIN, Signal, Task
from triptych.model.usage import Usage

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)
NAME = st.text("abcxyz_09", min_size=1, max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
PRIVATE = st.none() | st.dictionaries(st.sampled_from(["anthropic", "openai"]), JSON, min_size=1, max_size=2)
EXTRA = st.none() | st.dictionaries(
    st.sampled_from(["x-one", "x-two", "extra"]), JSON, min_size=1, max_size=2
)
MEDIA = st.one_of(
    st.builds(p.UrlMedia, url=TEXT),
    st.builds(p.InlineMedia, data=TEXT),
    st.builds(p.BlobMedia, digest=TEXT),
    st.builds(p.ProviderMedia, family=NAME, file_id=TEXT),
)
BASE = {"private": PRIVATE, "extra": EXTRA}
TEXT_PART = st.builds(p.TextPart, text=TEXT, **BASE)
IMAGE = st.builds(p.ImagePart, media=MEDIA, media_type=st.none() | TEXT, **BASE)
FILE = st.builds(p.FilePart, media=st.none() | MEDIA, name=st.none() | TEXT, **BASE)
DATA = st.builds(p.DataPart, name=NAME, data=JSON, **BASE)
UNKNOWN = st.builds(
    p.UnknownPart,
    raw=st.dictionaries(NAME, JSON, max_size=2).map(lambda d: d | {"type": "hologram"})
    | st.just({"type": "unknown", "raw": 1})
    | st.integers(),
)
CALL = st.builds(
    p.ToolCallPart,
    call_id=NAME,
    name=NAME,
    arguments=TEXT,
    state=st.sampled_from([s.READY, s.CallStarted(), s.CallDenied(reason="no"), s.Answered()]),
    **BASE,
)
RESULT = st.builds(
    p.ToolResultPart,
    call_id=NAME,
    content=st.lists(TEXT_PART | IMAGE | DATA | UNKNOWN, max_size=2).map(tuple),
    is_error=st.booleans(),
    state=JSON,
    **BASE,
)
REFERENCE = st.builds(
    p.ReferencePart,
    reference=st.builds(r.NoteReference, path=TEXT) | st.builds(r.SelectionReference, text=TEXT),
    **BASE,
)
REASONING = st.builds(p.ReasoningPart, text=TEXT, redacted=st.booleans(), **BASE)
SOURCE = st.builds(p.SourcePart, url=st.none() | TEXT, **BASE)
STATUS = st.sampled_from(
    [
        s.COMPLETE,
        s.Incomplete(reason="stopped"),
        s.AwaitingApproval(call_ids=("a",)),
        s.Complete(reason="toolCalls"),
    ]
)


def parts_of(*kinds):
    return st.lists(st.one_of(*kinds), max_size=4).map(tuple)


COMMON = {
    "id": NAME,
    "parent_id": st.none() | NAME,
    "created_at": st.integers(0, 2**41),
    "hidden": st.booleans(),
    "origin": st.sampled_from([PLAIN, Task(title="t"), Signal(signal="tool-stdout", sequence=2)]),
    "metadata": st.none() | st.dictionaries(NAME, JSON, min_size=1, max_size=2),
    "extra": EXTRA,
}
SYSTEM = st.builds(m.SystemMessage, parts=parts_of(TEXT_PART, UNKNOWN), **COMMON)
USER = st.builds(m.UserMessage, parts=parts_of(TEXT_PART, IMAGE, FILE, REFERENCE, DATA, UNKNOWN), **COMMON)
ASSISTANT = st.builds(
    m.AssistantMessage,
    parts=parts_of(TEXT_PART, REASONING, CALL, RESULT, SOURCE, IMAGE, UNKNOWN),
    status=STATUS,
    usage=st.none() | st.builds(Usage, input_tokens=st.integers(0, 9)),
    **COMMON,
)
TOOL = st.builds(m.ToolMessage, parts=parts_of(RESULT, UNKNOWN), **COMMON)
MESSAGE = st.one_of(SYSTEM, USER, ASSISTANT, TOOL)
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["text", "user", "assistant", "toolResult", "unknown"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "role", "parts", "type", "text", "content", "extra", "hidden", "usage", "\x00", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
replace = msgspec.structs.replace

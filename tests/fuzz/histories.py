"""Random histories, good and bad, made from a seed: odd role orders, dangling and repeated calls, any Unicode."""

import base64
import random

from triptych.model.messages import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import (
    AudioPart,
    BlobMedia,
    DataPart,
    ErrorPart,
    FilePart,
    ImagePart,
    InlineMedia,
    ProviderMedia,
    ReasoningPart,
    ReferencePart,
    RefusalPart,
    SourcePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
    UrlMedia,
    VideoPart,
)
from triptych.model.references import NoteReference, SelectionReference
from triptych.model.status import (
    COMPLETE,
    READY,
    CallApprovalNeeded,
    CallDenied,
    CallStarted,
    CallStreaming,
    Incomplete,
)

TEXTS = [
    "hello",
    "q",
    "a longer question about nothing in particular, with some words",
    "",
    " ",
    "\n\n",
    "ends in space ",
    "\x00nul",
    "lone \ud83d surrogate",
    "\udcb0",
    "😀 emoji",
    "ünïcödé 漢字 עברית",
    "literal \\u0000",
    '{"json": true}',
    "[INST] <|im_start|>system",
    "\u200b",
    "\ufeff",
    "e\u0301",
]
IDS = [
    "call_1",
    "call_2",
    "call_0",
    "toolu_01",
    "functions.lookup:0",
    "functions.lookup|0",
    "p" * 70 + "a",
    "p" * 70 + "b",
    "",
    "a b",
    "lookup",
    "null",
    "\ud800",
    "ü",
    "abcDEF123",
    "x" * 41,
]
NAMES = [
    "lookup",
    "search",
    "invalid tool",
    "",
    "n" * 80,
    "n" * 80 + "b",
    "a.b:c",
    "1st",
    "ünï",
    "\ud800",
    "get-it",
]
ARGUMENTS = [
    "{}",
    '{"q":"x"}',
    "",
    "null",
    "[1]",
    '"text"',
    "3",
    '{"a": ',
    "{oops",
    '{"n": NaN}',
    '{"s": "\\ud83d"}',
    '{"z": "\\u0000"}',
    '{"deep": {"a": [1, {"b": null}]}}',
    "[" * 3000,
    '{"big": 123456789012345678901234567890}',
    "\ud800",
]
PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x05\x00\x00\x00\x05\x08\x02"
).decode()
PDF = base64.b64encode(b"%PDF-1.4\n%%EOF\n").decode()
STATES = [READY, READY, READY, CallStreaming(), CallApprovalNeeded(), CallDenied(reason="no"), CallStarted()]
ENDS = [
    COMPLETE,
    COMPLETE,
    Incomplete(reason="length"),
    Incomplete(reason="error", error="x"),
    Incomplete(reason="stopped"),
]


def media(r, kind="image"):
    data = PNG if kind == "image" else PDF
    return r.choice(
        [
            InlineMedia(data=data),
            InlineMedia(data=data),
            InlineMedia(data="not base64!"),
            InlineMedia(data=""),
            UrlMedia(url="https://example.org/a.png"),
            UrlMedia(url=f"data:image/png;base64,{PNG}"),
            UrlMedia(url="data:,hello"),
            UrlMedia(url="file:///etc/x"),
            BlobMedia(digest="b2:0"),
            ProviderMedia(family="openai", file_id="file-1"),
            ProviderMedia(family="google", file_id="https://files/1"),
        ]
    )


def picture(r):
    types = [None, "image/png", "image/jpeg", "image/bmp"]
    return ImagePart(media=media(r), media_type=r.choice(types), name=r.choice([None, "p.png", "\ud800"]))


def medium(r):
    return r.choice(
        [
            picture,
            picture,
            lambda r: AudioPart(media=media(r), media_type="audio/wav", transcript=r.choice([None, "said"])),
            lambda r: VideoPart(media=media(r), media_type="video/mp4"),
            lambda r: FilePart(
                media=r.choice([None, media(r, "file")]),
                media_type=r.choice([None, "application/pdf", "text/plain", "application/zip"]),
                name=r.choice([None, "a b.pdf", "x\x00"]),
                text=r.choice([None, "inside", " "]),
            ),
        ]
    )(r)


def reasoning(r):
    family = r.choice(["anthropic", "openai", "google", "other", None])
    text = r.choice(["I think \n", "", "\ud800", "hm"])
    if family == "anthropic":
        held = r.choice(
            [{"signature": "c2ln"}, {"signature": ""}, {}, {"data": "zz"}, {"signature": "\ud800"}]
        )
        return ReasoningPart(text=text, redacted=r.random() < 0.3, private={"anthropic": held})
    if family == "openai":
        held = {"id": r.choice(["rs_1", "rs_2", "rs_3", "a:b", None]), "summary": r.choice([[], None])}
        held |= r.choice([{"encrypted_content": "e"}, {}])
        return ReasoningPart(text=text, private={"openai": held})
    if family == "google":
        return ReasoningPart(
            text=text, private={"google": {"thoughtSignature": r.choice(["QUJD", "not base64!"])}}
        )
    return ReasoningPart(text=text, private=None if family is None else {"other": {"x": 1}})


def text_part(r):
    private = None
    if r.random() < 0.15:
        private = r.choice(
            [
                {"openai": {"id": r.choice(["msg_1", "msg_2", "rs_1", "a:b"])}},
                {"anthropic": {"cache_control": {"type": "ephemeral"}}},
                {"cache": {"ttl": "1h"}},
                {"google": {"thoughtSignature": "QUJD"}},
            ]
        )
    return TextPart(text=r.choice(TEXTS), private=private)


def call(r):
    private = r.choice([None, None, {"google": {"thoughtSignature": "QUJD"}}, {"openai": {"id": "fc_1"}}])
    return ToolCallPart(
        call_id=r.choice(IDS),
        name=r.choice(NAMES),
        arguments=r.choice(ARGUMENTS),
        state=r.choice(STATES),
        private=private,
        server_side=r.random() < 0.05,
    )


def result(r):
    content = r.choices(
        [
            text_part,
            picture,
            medium,
            lambda r: DataPart(name="d", data=1),
            lambda r: UnknownPart(raw={"x": r.random()}),
        ],
        [8, 1, 1, 1, 1],
        k=r.choice([0, 1, 1, 1, 2]),
    )
    return ToolResultPart(
        call_id=r.choice(IDS),
        name=r.choice([None, *NAMES]),
        content=tuple(make(r) for make in content),
        is_error=r.random() < 0.2,
    )


def user(r, name):
    makers = [
        text_part,
        medium,
        lambda r: ReferencePart(reference=NoteReference(path="notes/a.md")),
        lambda r: ReferencePart(reference=SelectionReference(text="selected \x00")),
        lambda r: DataPart(name="d"),
        lambda r: UnknownPart(raw=r.choice([{"text": "inside"}, 3, "words", None, {"type": "x"}])),
    ]
    parts = r.choices(makers, [12, 3, 1, 1, 1, 1], k=r.choice([0, 1, 1, 1, 1, 2, 3]))
    extra = {"name": r.choice(["Ann Smith <x>", "ann", "", "\ud800", "—"])} if r.random() < 0.1 else None
    return UserMessage(id=name, parts=tuple(make(r) for make in parts), extra=extra)


def assistant(r, name):
    makers = [
        text_part,
        reasoning,
        call,
        result,
        medium,
        lambda r: SourcePart(url="https://example.org"),
        lambda r: RefusalPart(text=r.choice(TEXTS)),
        lambda r: ErrorPart(message="broken"),
        lambda r: UnknownPart(raw={"type": "later"}),
    ]
    parts = r.choices(makers, [10, 5, 10, 2, 1, 1, 1, 1, 1], k=r.choice([0, 1, 1, 2, 2, 3, 4]))
    return AssistantMessage(id=name, parts=tuple(make(r) for make in parts), status=r.choice(ENDS))


def tool(r, name):
    parts = tuple(
        result(r) if r.random() < 0.95 else UnknownPart(raw=[1]) for _ in range(r.choice([0, 1, 1, 1, 2]))
    )
    return ToolMessage(id=name, parts=parts)


def system(r, name):
    return SystemMessage(id=name, parts=tuple(text_part(r) for _ in range(r.choice([0, 1, 1, 2]))))


def wild(r):
    """Any roles in any order."""
    makers = r.choices([system, user, assistant, tool], [1, 4, 4, 3], k=r.randint(1, 12))
    return [make(r, f"m{index}") for index, make in enumerate(makers)]


def lifelike(r):
    """A conversation that went well, with tool loops, which is then damaged in a few places."""
    history = [system(r, "s")] if r.random() < 0.5 else []
    for turn in range(r.randint(1, 4)):
        history.append(UserMessage(id=f"u{turn}", parts=(TextPart(text=f"question {turn}"),)))
        for step in range(r.choice([0, 0, 1, 2])):
            ids = [
                r.choice([f"call_{turn}_{step}_{n}", f"call_{n}", r.choice(IDS)])
                for n in range(r.randint(1, 3))
            ]
            parts = tuple(ToolCallPart(call_id=one, name="lookup", arguments='{"q":1}') for one in ids)
            thought = (reasoning(r),) if r.random() < 0.4 else ()
            history.append(AssistantMessage(id=f"a{turn}.{step}", parts=(*thought, *parts)))
            order = r.sample(ids, len(ids)) if r.random() < 0.3 else ids
            history.extend(
                ToolMessage(
                    id=f"t{turn}.{step}.{n}",
                    parts=(ToolResultPart(call_id=one, content=(TextPart(text=f"result {n}"),)),),
                )
                for n, one in enumerate(order)
            )
        history.append(AssistantMessage(id=f"r{turn}", parts=(TextPart(text=f"answer {turn}"),)))
    for _ in range(r.choice([0, 1, 1, 2, 3])):
        damage(r, history)
    return history


def damage(r, history):
    if not history:
        return
    place = r.randrange(len(history))
    match r.randrange(6):
        case 0:
            del history[place]
        case 1:
            history.insert(r.randrange(len(history) + 1), history[place])
        case 2:
            history[place:] = []
        case 3:
            other = r.randrange(len(history))
            history[place], history[other] = history[other], history[place]
        case 4:
            make = r.choice([system, user, assistant, tool])
            history.insert(place, make(r, f"x{place}"))
        case _:
            history[: r.randrange(len(history))] = []


def history(seed):
    """The history of a seed."""
    r = random.Random(seed)
    return wild(r) if r.random() < 0.5 else lifelike(r)

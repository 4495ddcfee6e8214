"""What the scripted model of the browser tests says, by a word of the question."""

from __future__ import annotations

from collections.abc import Sequence

from triptych.model.events import Failure, Finish, PartDelta, PartEnd, PartStart, ReplyStart, StreamEvent
from triptych.model.parts import ReasoningPart, TextPart
from triptych.model.status import Complete
from triptych.testing.scripted import echo, text_events
from triptych.wires.payload import Payload

__all__ = ["ATTACK", "scripted_reply"]

CODE = '''Here is a tide table reader.

## How it works

1. Read the lines.
2. Keep the **high** waters.

```python
def high_waters(lines: list[str]) -> list[str]:
    """The times of high water."""
    return [line.split()[0] for line in lines if "high" in line]  # one a tide
```

| Day | High water | Height |
| --- | --- | --- |
| Friday | 06:25 | 3.1 m |
| Saturday | 07:10 | 3.3 m |

> Check it against the board at the slip.

See [[Tide table]] and <https://example.org/tides>.
'''

ATTACK = """<script>window.attacked = 1</script>
<img src=x onerror="window.attacked = 2">

[click](javascript:window.attacked=3) [data](data:text/html,<script>window.attacked=4</script>)

![pixel](https://elsewhere.example/pixel.png) ![x](x" onerror="window.attacked=5)

<svg onload="window.attacked=6"></svg> <iframe srcdoc="<script>parent.attacked=7</script>"></iframe>

[[x" onclick="window.attacked=8]] `<b>code</b>` <a href="#" onclick="window.attacked=9">here</a>

<style>body { display: none }</style> <form action="https://elsewhere.example"><input autofocus></form>

```"><script>window.attacked=10</script>
<script>window.attacked=11</script>
```

That was all.
"""


def scripted_reply(payload: Payload) -> str | Sequence[StreamEvent]:
    """The reply to the last question of a request."""
    asked = echo(payload).lower()
    question = asked.rsplit("\n", 1)[-1]
    if "attack" in question:
        return ATTACK
    if "code" in question:
        return CODE
    if "slow" in question:
        return " ".join(f"word{number}" for number in range(1, 1500))
    if "think" in question:
        return _thinking()
    if "fail" in question:
        return [*text_events("It began well")[:-2], Failure(message="The model's server went away.")]
    if "launch date" in question:
        return "The launch date is 14 May."
    return f"You asked: {question}"


def _thinking() -> list[StreamEvent]:
    return [
        ReplyStart(model="scripted"),
        PartStart(index=0, part=ReasoningPart(text="First the tide, then the wind.")),
        PartEnd(index=0),
        PartStart(index=1, part=TextPart(text="")),
        PartDelta(index=1, text="Go at seven."),
        PartEnd(index=1),
        Finish(status=Complete()),
    ]

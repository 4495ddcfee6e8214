"""What the scripted model of the browser tests says, by a word of the question."""

from __future__ import annotations

import re

CODE = """Here is a tide table reader.

## How it works

1. Read the lines.
2. Keep the **high** waters.

```python
def high_waters(lines: list[str]) -> list[str]:
    \"\"\"The times of high water.\"\"\"
    return [line.split()[0] for line in lines if "high" in line]  # one a tide
```

| Day | High water | Height |
| --- | --- | --- |
| Monday | 05:40 | 3.1 m |
| Tuesday | 06:25 | 3.3 m |

> Check it against the board at the slip.

See [[Harbour]] and <https://example.org/tides>.
"""

ATTACK = """<script>window.attacked = 1</script>
<img src=x onerror="window.attacked = 2">

[click](javascript:window.attacked=3) [data](data:text/html,<script>window.attacked=4</script>)

![pixel](https://elsewhere.example/pixel.png) ![x](x" onerror="window.attacked=5)

<svg onload="window.attacked=6"></svg> <iframe srcdoc="<script>parent.attacked=7</script>"></iframe>

[[x" onclick="window.attacked=8]] `<b>code</b>`

```"><script>window.attacked=9</script>
<script>window.attacked=10</script>
```
"""

PIECE = re.compile(r"\s*\S+|\s+")


def script(question: str) -> list[str]:
    """The pieces of the reply."""
    words = question.lower()
    if "attack" in words:
        text = ATTACK
    elif "code" in words:
        text = CODE
    elif "slow" in words:
        text = " ".join(f"word{number}" for number in range(400))
    elif "launch" in words:
        text = "The Heron is launched on 14 May, at the morning high water."
    else:
        text = f"You asked: {question}"
    return PIECE.findall(text)

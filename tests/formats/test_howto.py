"""The example of docs/howto/add-a-format.md runs as it stands there."""

import json
import re
from pathlib import Path

from triptych.formats.sniff import take_sample
from triptych.formats.source import open_source
from triptych.formats.summary import summarize_conversation

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "add-a-format.md"
CHAT = {"app": "pocketchat", "id": "p", "lines": [{"by": "me", "text": "Hello"}, {"by": "it", "text": "Hi."}]}


def test_the_reader_of_the_how_to_reads_its_example():
    (example,) = re.findall(r"```python\n(.*?)```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)
    reader = {}
    exec(compile(example, str(HOWTO), "exec"), reader)  # noqa: S102 # our own page
    file = open_source(json.dumps(CHAT).encode(), name="chat.json").files[0]
    assert reader["matches"](take_sample(file))
    (conversation,) = reader["read"](file)
    summary = summarize_conversation(conversation)
    assert (summary.roles, summary.text_heads) == (("user", "assistant"), ("Hello", "Hi."))

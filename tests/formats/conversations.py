"""Random conversations: trees of random messages with ids that hold together."""

import msgspec
from hypothesis import strategies as st
from tests.model.strategies import MESSAGE, TEXT

from triptych.formats.conversation import native_conversation
from triptych.model.conversations import Conversation

TRICKY = st.lists(
    st.sampled_from(
        [
            "## You",
            "## Assistant · x",
            "\\## You",
            "\n",
            "\n\n",
            "\r",
            "\r\n",
            "&#13;",
            "&amp;#13;",
            "<!--triptych message {}-->",
            "<!--\\triptych",
            "```triptych reasoning {}",
            "```",
            "\\",
            " ",
            "  \n",
            "-->",
            "$&",
            "[x](y)",
            "[[z]]",
            "**user**: ",
            "---",
            "\u2028",
            "\ufeff",
            "# T",
            "x",
        ]
    ),
    max_size=12,
).map("".join)
ANY_TEXT = TRICKY | TEXT


@st.composite
def conversations(draw, message=MESSAGE, largest=7, roots=True):
    drawn = draw(st.lists(message, max_size=largest))
    made = []
    for index, one in enumerate(drawn):
        parent = (
            draw(st.sampled_from([*([None] if roots else []), *(before.id for before in made)]))
            if made
            else None
        )
        made.append(msgspec.structs.replace(one, id=f"m{index}", parent_id=parent))
    conversation = Conversation(
        id=draw(TEXT) or "c",
        title=draw(ANY_TEXT),
        model=draw(st.none() | TEXT),
        head_id=draw(st.none() | st.sampled_from([one.id for one in made])) if made else None,
        created_at=draw(st.integers(0, 2**41)),
        updated_at=draw(st.integers(0, 2**41)),
    )
    return native_conversation(conversation, made)

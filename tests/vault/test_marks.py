"""Tags, links, headings, blocks; code is none of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from triptych.vault.front_matter import parse_front_matter, split_front_matter
from triptych.vault.marks import (
    block_text,
    embeds_of,
    front_matter_tags,
    headings_of,
    inline_tags,
    links_of,
    section_text,
)
from triptych.vault.prose import prose_of


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("#one and #two/deep, #three. (#four) x#five", ["one", "two/deep", "three"]),
        ("# heading\n#tag\n#123 #1a", ["tag", "1a"]),
        ("`#code`\n```\n#fenced\n```\n~~~\n#other\n~~~", []),
        ("#日本語 #straße #my_tag-x", ["日本語", "straße", "my_tag-x"]),
        ("[[note#heading]] https://x.org/#part &#39;", []),
        ("#a #a", ["a"]),
        ("- item\n    ```\n    #no\n    ```\n- #yes", ["yes"]),
    ],
)
def test_inline_tags(body, tags):
    assert inline_tags(body) == tags


def test_front_matter_tags_come_as_list_or_text():
    assert front_matter_tags({"tags": ["#a", "b/c", 7, None, True]}) == ["a", "b/c", "7"]
    assert front_matter_tags({"Tag": "x, y  #z"}) == ["x", "y", "z"]
    assert front_matter_tags({"tags": {"a": 1}}) == []


@pytest.mark.parametrize(
    ("body", "links"),
    [
        ("[[A]] [[b/C|alias]] [[D#Head|x]] [[E#^block]] [[A]]", ["A", "b/C", "D#Head", "E#^block"]),
        ("`[[no]]` and ``[[no` ]]`` [[yes]]", ["yes"]),
        ("```\n[[no]]\n```\n[[yes]]\n```\n[[never closed]]", ["yes"]),
        (
            "[t](sub/a%20b.md) [u](<with space.md>) [w](https://x.org) [m](mailto:a@b.c) [h](#here)",
            ["sub/a b.md", "with space.md", "#here"],
        ),
        ('![pic](img.png "title") ![[b.png|100]]', ["img.png", "b.png"]),
        ("| a | [[x\\|y]] |", ["x"]),
        ("[[]] [[ ]] [[a\nb]] [not](", []),
        ("[a [[inner]] b](outer.md)", ["inner"]),
        ("\\`[[yes]]`", ["yes"]),
    ],
)
def test_links(body, links):
    assert links_of(body) == links


def test_embeds_know_their_place():
    body = "x ![[A|w]] `![[no]]` ![[A]] ![p](b.png)"
    assert [(one.link, body[one.start : one.end]) for one in embeds_of(body)] == [
        ("A", "![[A|w]]"),
        ("A", "![[A]]"),
        ("b.png", "![p](b.png)"),
    ]


def test_headings_of_all_kinds():
    body = "# One #\ntext\nTwo\n---\n```\n# no\n```\n### C# and `x`\n#nospace\n####### seven\nThree\n===\n#\n"
    assert [(one.rank, one.text) for one in headings_of(body)] == [
        (1, "One"),
        (2, "Two"),
        (3, "C# and `x`"),
        (1, "Three"),
        (1, ""),
    ]


def test_a_section_runs_to_the_next_heading_of_its_rank():
    body = "# A\n1\n## B\n2\n### C\n3\n## D\n4\n# E\n## B\n5"
    assert section_text(body, "b") == "## B\n2\n### C\n3"
    assert section_text(body, "A#C") == "### C\n3"
    assert section_text(body, "E#B") == "## B\n5"
    assert section_text(body, "E#C") is None
    assert section_text(body, "") is None
    assert section_text("## C# basics\nx", "C# basics") == "## C# basics\nx"
    assert section_text("## Plan:  the   day\nx", "plan the day") == "## Plan:  the   day\nx"


def test_blocks_are_paragraphs_and_list_items():
    body = "first\nsecond ^p\n\n- one\n- two ^item\n  - below\n- three\n\n| a |\n| b |\n\n^table\n\n`^no`"
    assert block_text(body, "p") == "first\nsecond"
    assert block_text(body, "item") == "- two\n  - below"
    assert block_text(body, "TABLE") == "| a |\n| b |"
    assert block_text(body, "no") is None


@pytest.mark.parametrize(
    ("text", "front_matter", "body"),
    [
        ("---\na: 1\n---\nbody", {"a": 1}, "body"),
        ("---\r\na: 1\r\n---\r\nbody\r\n", {"a": 1}, "body\r\n"),
        ("---\n---\nbody", {}, "body"),
        ("---\na: 1\n---", {"a": 1}, ""),
        ("--- \na: 1\n", {}, "--- \na: 1\n"),
        (" ---\na: 1\n---\n", {}, " ---\na: 1\n---\n"),
        (
            "---\nd: 2026-01-02\nt: 2026-01-02 03:04:05\nn: .nan\n---\n",
            {"d": "2026-01-02", "t": "2026-01-02T03:04:05", "n": None},
            "",
        ),
        ("---\ntext: |\n  ---x\n---\nb", {"text": "---x"}, "b"),
    ],
)
def test_front_matter_is_split_and_read(text, front_matter, body):
    yaml, rest = split_front_matter(text)
    assert parse_front_matter(yaml)[0] == front_matter
    assert rest == body


def laughs():
    """Few characters that unfold to a billion values."""
    rows = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    rows += [
        f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    return "\n".join(rows)


BAD_YAML = (
    "a: [",
    "- list",
    "just text",
    "a: 2026-13-45",
    "[" * 5000,
    "? [a]\n: 1\n? {b: 1}\n: 2",
    "a: !!python/object:os.system x",
    "\t@",
    "x" * 70_000,
    laughs(),
)


@pytest.mark.parametrize("yaml", BAD_YAML, ids=lambda text: text[:12])
def test_bad_front_matter_is_a_diagnostic(yaml):
    value, found = parse_front_matter(yaml, "a.md")
    assert value == {}
    assert [one.code for one in found] == ["front_matter_unreadable"]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="`~#[]()!|^-> \n\tab1\\:", max_size=120))
def test_every_reader_is_total_and_prose_keeps_places(body):
    prose = prose_of(body)
    assert len(prose) == len(body)
    assert [at for at, sign in enumerate(prose) if sign == "\n"] == [
        at for at, sign in enumerate(body) if sign == "\n"
    ]
    inline_tags(body)
    for embed in embeds_of(body):
        assert body[embed.start] == "!"
    links_of(body)
    for heading in headings_of(body):
        section_text(body, heading.text)
    block_text(body, "a")
    parse_front_matter(split_front_matter(body)[0])


WORDS = st.lists(
    st.sampled_from(["word", "`code`", "``a ` b``", "*x*", "[[L]]", "`", "``"]), min_size=1, max_size=6
)
BLOCKS = st.one_of(
    WORDS.map(" ".join),
    st.sampled_from(
        ["```\nCODE `x\n```", "~~~ py\nCODE\n``` \n~~~", "````\n```\nCODE\n````", "> quoted `CODE` end"]
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(BLOCKS, min_size=1, max_size=5).map("\n\n".join))
def test_code_is_what_commonmark_calls_code(body):
    expected = 0
    for token in MarkdownIt().parse(body):
        if token.type == "fence":
            expected += token.content.count("CODE")
        for child in token.children or ():
            if child.type == "code_inline":
                expected += child.content.count("CODE") + child.content.count("[[L]]")
    everything = body.count("CODE") + body.count("[[L]]")
    prose = prose_of(body)
    assert everything - prose.count("CODE") - prose.count("[[L]]") == expected

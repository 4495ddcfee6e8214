"""The rules as a page for people: ``docs/reference/rules.md`` is exactly this text.

Not here: the rules (``table``).
"""

from __future__ import annotations

from triptych.wires.profiles import WIRES
from triptych.wires.rules.finding import Rule
from triptych.wires.rules.table import RULES

__all__ = ["rules_document"]

_HEAD = """# The rules of the linter

What `triptych lint` and `triptych.wires.lint` look for in a request body, and what `triptych.wires.compile` never
sends. This page is made by `triptych lint --rules`; a test compares the two.

A source such as `litellm#4931` is a public issue of that project; types are those of the provider's own client.
"""


def rules_document() -> str:
    """The page, in Markdown."""
    return "\n".join([_HEAD, *map(_section, RULES.values())])


def _section(rule: Rule) -> str:
    where = "every wire" if rule.wires == WIRES else ", ".join(rule.wires)
    lines = [
        f"## `{rule.id}`",
        "",
        rule.sentence,
        "",
        f"- looked for on: {where}",
        f"- source: {rule.source}",
    ]
    said = sorted(set(rule.rejected_by.items()))
    if len({sentence for _, sentence in said}) == 1 and len(said) > 1:
        lines.append(f"- refused with: “{said[0][1]}”")
    else:
        lines.extend(f"- {wire} refuses with: “{sentence}”" for wire, sentence in said)
    return "\n".join([*lines, ""])

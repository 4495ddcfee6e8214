"""The original's five ways to put documents of an agent into a request.

Not here: which documents are loaded (``injectors.documents``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.context.contract import Step
from triptych.context.draft import Draft
from triptych.context.injectors.documents import combine_documents, documents_for
from triptych.context.injectors.places import before_first_user, in_system
from triptych.context.original.blocks import contract
from triptych.context.rowwork import listed, without
from triptych.context.turns import first_user

__all__ = ["STEPS"]

Params = Mapping[str, Any]


def _document_step(
    name: str, place: tuple[str, ...], put: Callable[[Draft, str], Draft]
) -> Callable[[Params], Step]:
    def make(config: Params) -> Step:
        def run(draft: Draft) -> Draft:
            chosen = documents_for(
                listed(config.get("documents")), place, message=config.get("message"), now=draft.clock
            )
            text = combine_documents(chosen)
            return put(draft, text) if text else draft

        return Step(contract(name), run)

    return make


def _before_system(draft: Draft, text: str) -> Draft:
    stamp = draft.stamp
    row = {
        "content": text,
        "createdAt": stamp,
        "id": f"agent-doc-before-system-{stamp}",
        "role": "system",
        "updatedAt": stamp,
    }
    return draft.splice(0, 0, row)


def _instead_of_system(draft: Draft, text: str) -> Draft:
    place = next((place for place, row in enumerate(draft.rows) if row.get("role") == "system"), None)
    if place is None:
        return _before_system(draft, text)
    return draft.splice(place, place + 1, {**without(draft.rows[place], "parts"), "content": text})


def _behind_first_user(draft: Draft, text: str) -> Draft:
    """After the first user row, as recorded: that is the injected block when there is one."""
    place = first_user(draft.rows)
    return draft if place is None else draft.splice(place + 1, place + 1, {"content": text, "role": "system"})


def _at_the_end(draft: Draft, text: str) -> Draft:
    return draft.with_rows((*draft.rows, {"content": text, "role": "system"}))


def _in_messages(config: Params) -> Step:
    behind = _document_step("AgentDocumentMessageInjector", ("after-first-user",), _behind_first_user)(config)
    end = _document_step("AgentDocumentMessageInjector", ("context-end",), _at_the_end)(config)
    return Step(behind.contract, lambda draft: end(behind(draft)))


STEPS: Mapping[str, Callable[[Params], Step]] = {
    "AgentDocumentBeforeSystemInjector": _document_step(
        "AgentDocumentBeforeSystemInjector", ("before-system",), _before_system
    ),
    "AgentDocumentSystemAppendInjector": _document_step(
        "AgentDocumentSystemAppendInjector",
        ("system-append",),
        lambda draft, text: in_system(draft, text, "AgentDocumentSystemAppendInjector", anywhere=True),
    ),
    "AgentDocumentSystemReplaceInjector": _document_step(
        "AgentDocumentSystemReplaceInjector", ("system-replace",), _instead_of_system
    ),
    "AgentDocumentContextInjector": _document_step(
        "AgentDocumentContextInjector",
        ("before-first-user",),
        lambda draft, text: before_first_user(draft, text, anywhere=True),
    ),
    "AgentDocumentMessageInjector": _in_messages,
}

"""Storing what was imported: the plan of an import as change sets of the store, its source as a blob.

Not here: what changes (``plan``), and opening the store.
"""

from __future__ import annotations

import msgspec

from triptych.formats.conversation import ImportedConversation
from triptych.formats.plan import ImportPlan, plan_import
from triptych.model.conversations import DEFAULT_PROJECT, DEFAULT_USER
from triptych.model.ids import ProjectId, UserId
from triptych.ports.conversations import StoredConversation
from triptych.ports.store import Store
from triptych.repository.changes import Change, ConversationUpdated, MessageAdded, MessageUpdated

__all__ = ["save_imported"]


async def save_imported(
    store: Store,
    imported: ImportedConversation,
    *,
    project_id: ProjectId = DEFAULT_PROJECT,
    user_id: UserId = DEFAULT_USER,
    write: bool = True,
) -> ImportPlan:
    """Bring the store up to an imported conversation; the plan says what that took.

    A conversation that is stored already stays in its project. Stopped half-way, the next import goes on where
    this one ended.

    Args:
        store: where to.
        imported: the conversation.
        project_id: the project of a conversation that is new.
        user_id: whose it is.
        write: without it nothing is stored, and the plan says what would be.
    """
    conversation = msgspec.structs.replace(imported.conversation, project_id=project_id, user_id=user_id)
    placed = msgspec.structs.replace(imported, conversation=conversation)
    stored = await store.load(conversation.id)
    plan = plan_import(placed, stored)
    if not write or plan.action == "nothing":
        return plan
    await store.put_blobs([plan.document])
    if stored is None:
        await store.create(msgspec.structs.replace(conversation, head_id=None, active_root_id=None))
        stored = await store.load(conversation.id)
    await store.commit(conversation.id, _changes(plan, stored))
    return plan


def _changes(plan: ImportPlan, stored: StoredConversation | None) -> list[Change]:
    before = {message.id: message for message in stored.messages} if stored else {}
    held = stored.conversation if stored else plan.conversation
    return [
        *(MessageAdded(message=message) for message in plan.added),
        *(MessageUpdated(message=message, before=before[message.id]) for message in plan.grown),
        ConversationUpdated(conversation=plan.conversation, before=held),
    ]

"""Model calls, and where imported conversations came from."""

from __future__ import annotations

from sqlalchemy import Connection, select

from triptych.model.ids import BlobDigest, ConversationId
from triptych.ports.runs import Run, Source
from triptych.stores.sql import schema
from triptych.stores.sql.rows import decode_value, encode_text
from triptych.stores.sql.upsert import add_missing, put

__all__ = ["find_source", "list_runs", "put_run", "put_source"]


def put_run(connection: Connection, run: Run) -> None:
    """Add a model call or replace it; its request body counts as used by the conversation."""
    put(
        connection,
        schema.runs,
        {
            "id": run.id,
            "conversation_id": run.conversation_id,
            "message_id": run.message_id,
            "started_at": run.started_at,
            "record": encode_text(run),
        },
    )
    _use(connection, run.conversation_id, run.payload)


def list_runs(connection: Connection, conversation_id: ConversationId) -> list[Run]:
    """A conversation's runs, oldest first; a row that a newer program wrote differently is left out."""
    columns = schema.runs.c
    statement = (
        select(columns.record)
        .where(columns.conversation_id == conversation_id)
        .order_by(columns.started_at, columns.id)
    )
    runs = (decode_value(Run, row.record) for row in connection.execute(statement))
    return [run for run in runs if run is not None]


def put_source(connection: Connection, source: Source) -> None:
    """Add a source or replace it."""
    put(
        connection,
        schema.sources,
        {
            "format": source.format,
            "source_id": source.source_id,
            "conversation_id": source.conversation_id,
            "digest": source.digest,
            "record": encode_text(source),
        },
    )
    _use(connection, source.conversation_id, source.raw)


def find_source(connection: Connection, format: str, source_id: str) -> Source | None:  # noqa: A002 # the glossary's word
    """What was imported before under this name."""
    columns = schema.sources.c
    statement = select(columns.record).where(columns.format == format, columns.source_id == source_id)
    row = connection.execute(statement).first()
    return None if row is None else decode_value(Source, row.record)


def _use(connection: Connection, conversation_id: ConversationId, digest: BlobDigest | None) -> None:
    if digest is not None:
        row = {"conversation_id": conversation_id, "digest": digest}
        add_missing(connection, schema.blob_uses, [row])

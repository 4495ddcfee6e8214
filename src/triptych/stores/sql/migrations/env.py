"""What alembic runs: the steps, over the connection and inside the transaction that it is handed."""

from __future__ import annotations

from alembic import context

from triptych.stores.sql.schema import METADATA

__all__: list[str] = []

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
context.run_migrations()

"""Bodies by digest, and the forgetting of those that nobody uses any more.

A body is put before the change set that names it. So a body that has just been put again may be needed in a
moment, even when the only conversation that used it is deleted right now: what nobody uses becomes stale, and
goes when it was last put more than an hour ago, at a later deletion or opening.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, delete, select

from triptych.model.digest import digest_bytes
from triptych.model.ids import BlobDigest
from triptych.stores.sql import schema
from triptych.stores.sql.upsert import add_missing, put_all

__all__ = ["GRACE_SECONDS", "get_blobs", "put_blobs", "release_blobs", "sweep_blobs"]

GRACE_SECONDS = 3600

_AT_ONCE = 500
_blobs = schema.blobs.c


def put_blobs(connection: Connection, bodies: Sequence[bytes]) -> list[BlobDigest]:
    """Add the bodies that are not there, and note when the others were last put; all digests in order."""
    digests = [digest_bytes(body) for body in bodies]
    now = int(time.time())
    rows = {
        digest: {"digest": digest, "size": len(body), "put_at": now, "body": body}
        for digest, body in zip(digests, bodies, strict=True)
    }
    if rows:
        put_all(connection, schema.blobs, list(rows.values()), replace=("put_at",))
    return digests


def get_blobs(connection: Connection, digests: Sequence[BlobDigest]) -> dict[BlobDigest, bytes]:
    """The bodies that are there."""
    found: dict[BlobDigest, bytes] = {}
    for some in _slices(list(dict.fromkeys(digests))):
        statement = select(_blobs.digest, _blobs.body).where(_blobs.digest.in_(some))
        found.update((row.digest, row.body) for row in connection.execute(statement))
    return found


def release_blobs(connection: Connection, digests: Sequence[str]) -> None:
    """These bodies have lost a user; those without any become stale."""
    for some in _slices(list(digests)):
        used = connection.execute(
            select(schema.blob_uses.c.digest).where(schema.blob_uses.c.digest.in_(some)).distinct()
        )
        unused = set(some) - set(used.scalars())
        if unused:
            add_missing(connection, schema.stale_blobs, [{"digest": digest} for digest in sorted(unused)])
    sweep_blobs(connection)


def sweep_blobs(connection: Connection) -> None:
    """Forget stale bodies: those in use again are stale no more, the others go after the grace."""
    stale = schema.stale_blobs.c.digest
    connection.execute(delete(schema.stale_blobs).where(stale.in_(select(schema.blob_uses.c.digest))))
    old = _blobs.put_at < int(time.time()) - GRACE_SECONDS
    connection.execute(delete(schema.blobs).where(_blobs.digest.in_(select(stale)), old))
    connection.execute(delete(schema.stale_blobs).where(stale.not_in(select(_blobs.digest))))


def _slices(digests: list[str] | list[BlobDigest]) -> Iterator[list[str] | list[BlobDigest]]:
    for start in range(0, len(digests), _AT_ONCE):
        yield digests[start : start + _AT_ONCE]

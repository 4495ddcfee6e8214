"""What a person may choose, and where things lie when they choose nothing."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from platformdirs import user_data_path

from triptych.errors import UsageError

__all__ = ["DEFAULT_MODEL", "Settings", "find_settings"]

DEFAULT_MODEL = "local"
DEFAULT_LAYOUT = "append"
DATABASE = "triptych.db"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """``data`` is the folder of the database; ``vault`` the folder of notes; ``model`` is ``provider:name``.

    ``chats`` is a folder in which each conversation is kept as Markdown as well; it may lie in the vault. ``layout``
    says where attached notes stand in the prompt: ``append`` or ``library``.
    """

    data: Path
    vault: Path | None = None
    model: str = DEFAULT_MODEL
    base_url: str | None = None
    database_url: str | None = None
    chats: Path | None = None
    layout: str = DEFAULT_LAYOUT

    @property
    def database(self) -> str:
        """A file, or the URL of a PostgreSQL database."""
        return self.database_url or str(self.data / DATABASE)


def find_settings(
    *,
    data: Path | None = None,
    vault: Path | None = None,
    model: str | None = None,
    base_url: str | None = None,
    chats: Path | None = None,
    layout: str | None = None,
) -> Settings:
    """Settings from options, else from the environment, else the platform's data folder and the local model.

    The variables are ``TRIPTYCH_DATA``, ``_VAULT``, ``_MODEL``, ``_BASE_URL``, ``_CHATS``, ``_LAYOUT`` and
    ``_DATABASE_URL``.
    """
    chosen_vault = vault or _path("TRIPTYCH_VAULT")
    if chosen_vault is not None and not chosen_vault.is_dir():
        raise UsageError(f"{chosen_vault} is no folder; give --vault a folder of Markdown notes.")
    return Settings(
        data=data or _path("TRIPTYCH_DATA") or user_data_path("triptych", appauthor=False),
        vault=chosen_vault,
        model=model or os.environ.get("TRIPTYCH_MODEL") or DEFAULT_MODEL,
        base_url=base_url or os.environ.get("TRIPTYCH_BASE_URL"),
        database_url=os.environ.get("TRIPTYCH_DATABASE_URL"),
        chats=chats or _path("TRIPTYCH_CHATS"),
        layout=layout or os.environ.get("TRIPTYCH_LAYOUT") or DEFAULT_LAYOUT,
    )


def _path(name: str) -> Path | None:
    value = os.environ.get(name)
    return Path(value).expanduser() if value else None

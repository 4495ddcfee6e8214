"""A folder of Markdown notes: reading, links, selection by patterns, search, and pages of the web."""

from triptych.vault.folder import FolderVault

__all__ = ["FolderVault"]

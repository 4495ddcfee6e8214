"""Build the page into the wheel; an editable install never does."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildPage(BuildHookInterface):
    """Run the page's own build before the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 # hatchling's signature
        """Build unless this install is editable or the page is already there."""
        root = Path(self.root)
        page = root / "src/triptych/server/static/index.html"
        if version == "editable" or (page.exists() and not os.environ.get("TRIPTYCH_REBUILD_PAGE")):
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(
                "Building the page needs Node.js 20 or newer; install the published wheel instead."
            )
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=root / "web", check=True)
        subprocess.run([npm, "run", "build"], cwd=root / "web", check=True)

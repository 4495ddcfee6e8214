"""Write the generated pages of ``docs/reference``; ``--check`` fails when one on disk is not what would be written.

Run by ``make docs`` and ``make check``. A builder is a function in ``docs/pages/`` named ``build``.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PAGES = ROOT / "pages"


def built() -> dict[Path, str]:
    """Every generated page: its file, its text."""
    return {ROOT / "reference" / f"{source.stem}.md": _build(source) for source in sorted(PAGES.glob("*.py"))}


def _build(source: Path) -> str:
    spec = importlib.util.spec_from_file_location(f"docs_page_{source.stem}", source)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{source} cannot be loaded.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build()


def stale(pages: dict[Path, str]) -> list[Path]:
    """The pages that are not on disk as they would be written."""
    return [path for path, text in pages.items() if not path.exists() or path.read_text("utf-8") != text]


def main() -> int:
    """Write, or check."""
    pages = built()
    old = stale(pages)
    if "--check" in sys.argv:
        for path in old:
            sys.stderr.write(f"{path.relative_to(ROOT.parent)} is stale; run make docs.\n")
        return 1 if old else 0
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[path], "utf-8")
        sys.stdout.write(f"wrote {path.relative_to(ROOT.parent)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

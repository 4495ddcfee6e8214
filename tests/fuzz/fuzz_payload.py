"""Look for a history that cannot be compiled, for as long as is asked: python tests/fuzz/fuzz_payload.py --seconds 3600."""

import argparse
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz.histories import history
from tests.fuzz.laws import check
from tests.fuzz.oracles import judge

from triptych.wires import PROFILES

MOST = 20
"""Failures after which it ends."""


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=3600)
    arguments.add_argument("--start", type=int, default=1_000_000)
    asked = arguments.parse_args()
    names, seed, count, failed = sorted(PROFILES), asked.start, 0, 0
    end = time.monotonic() + asked.seconds
    while time.monotonic() < end and failed < MOST:
        for name in names:
            try:
                payload = check(history(seed), PROFILES[name])
                if payload is not None and (seed % 20 == 0 or payload.wire == "mistral"):
                    judge(payload)
            except Exception as problem:  # noqa: BLE001 # any exception is what this looks for
                failed += 1
                place = traceback.extract_tb(problem.__traceback__)[-1]
                print(
                    f"seed {seed}, profile {name}: {type(problem).__name__}: {problem} ({place.name})",
                    flush=True,
                )
            count += 1
        seed += 1
    print(
        f"{seed - asked.start} histories, {count} requests for {len(names)} profiles: {failed} break a law."
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

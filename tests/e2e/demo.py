"""The demo as a person starts it, in a process of its own."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


@contextmanager
def started(data: Path):
    command = [sys.executable, "-m", "triptych", "serve", "--demo", "--vault", "examples/vault"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        [*command, "--data", str(data), "--port", "8700"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process, _address(process)
        finally:
            process.terminate()
            process.wait(20)


def _address(process):
    for line in process.stdout:
        found = re.search(r"http://\S+", line)
        if found:
            return found[0]
    raise AssertionError("the server did not start")

"""``kill -9`` at random moments while replies stream into the store."""

import subprocess
import sys
from pathlib import Path

SOAK = Path(__file__).parents[1] / "soak" / "kill_store.py"


def test_no_acknowledged_commit_is_lost_when_the_writer_is_killed_twenty_times():
    done = subprocess.run(
        [sys.executable, SOAK, "--rounds", "20"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "20 kills" in done.stdout

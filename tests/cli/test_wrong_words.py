import subprocess
import sys

import pytest


def spoken(*words):
    return subprocess.run(
        [sys.executable, "-m", "triptych", *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("serve", "--port", "99999"), 2, "65535"),
        (("nope",), 2, "No such command"),
        (("ask",), 2, "Missing argument"),
        (("ask", "x", "--jsn"), 2, "--json"),
        (("ask", "x", "--model", "nope"), 2, "PROVIDER:MODEL"),
        (("ask", "x", "--vault", "/nowhere-at-all"), 2, "is no folder"),
        (("lint", "/nowhere-at-all", "--to", "anthropic"), 1, "No such file"),
    ],
)
def test_a_wrong_word_gets_one_line_that_helps(words, code, said):
    done = spoken(*words)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr
    assert done.stdout == ""


def test_no_word_at_all_gets_the_help():
    done = spoken()
    assert "ask" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr

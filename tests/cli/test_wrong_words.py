import os
import subprocess
import sys
from pathlib import Path

import pytest

VAULT = str(Path(__file__).parents[2] / "examples/vault")


def spoken(data, *words):
    return subprocess.run(
        [sys.executable, "-m", "triptych", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"TRIPTYCH_DATA": str(data)},
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
        (("ask", "x", "--vault", VAULT, "--note", "Nowhere.md", "--no-save"), 2, "Nowhere.md: There is no"),
        (("serve", "--host", "nowhere.invalid"), 2, "There is no address"),
        (("list", "--project", "nope"), 2, "there are: default"),
        (("search", " ", "--vault", VAULT), 2, "write a word"),
        (("projects", "set", ""), 2, "is empty"),
        (("rename", "x", " "), 2, "is empty"),
        (("doctor", "nowhere.json"), 2, "no file or conversation"),
        (("export", "--all", "--out", "x.json"), 2, "Say with --format"),
        (("lint", "/nowhere-at-all", "--to", "anthropic"), 1, "No such file"),
    ],
)
def test_a_wrong_word_gets_one_line_that_helps(tmp_path, words, code, said):
    done = spoken(tmp_path, *words)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr
    assert done.stdout == ""


def test_no_word_at_all_gets_the_help(tmp_path):
    done = spoken(tmp_path)
    assert "ask" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr

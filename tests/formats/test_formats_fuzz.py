"""The campaign of tests/fuzz/fuzz_formats.py, small and with a fixed seed."""

import runpy
from pathlib import Path

import pytest
from tests.formats.samples import SAMPLES

CAMPAIGN = runpy.run_path(str(Path(__file__).parents[1] / "fuzz" / "fuzz_formats.py"))


@pytest.mark.parametrize("name", SAMPLES)
def test_broken_files_give_values_and_findings(name):
    assert CAMPAIGN["run"](name, name.partition(" ")[0], SAMPLES[name], 150, seed=3) == 0

"""Every history compiles for every profile into a request that breaks no rule, or is refused for having no words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.histories import history as history_of
from tests.fuzz.histories import lifelike, wild
from tests.fuzz.laws import check
from tests.fuzz.oracles import judge

from triptych.wires import PROFILES

NAMES = sorted(PROFILES)
BLOCK = 1_000


@pytest.mark.parametrize("start", range(0, 20_000, BLOCK))
def test_any_history_becomes_a_valid_request(start):
    for seed in range(start, start + BLOCK):
        profile = PROFILES[NAMES[seed % len(NAMES)]]
        payload = check(history_of(seed), profile, prefix=seed % 4 == 0)
        if payload is not None and (profile.wire == "mistral" or seed % 20 == 0):
            judge(payload)


@settings(max_examples=500, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(NAMES), st.booleans())
def test_any_history_that_hypothesis_finds_becomes_a_valid_request(random, name, tidy):
    check(lifelike(random) if tidy else wild(random), PROFILES[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_providers_own_types_accept_every_body(name):
    for seed in range(40):
        payload = check(history_of(seed), PROFILES[name], prefix=False)
        if payload is not None:
            judge(payload)

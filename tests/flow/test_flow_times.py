"""When a message happened, told as examples."""

import pytest
from tests.flow.test_flow_stories import ids, row

from triptych.flow import parse


@pytest.mark.parametrize("far", [10**16, -(10**16), 10**400, -(10**400), 1e300])
@pytest.mark.parametrize("turned", [False, True])
def test_a_far_out_time_is_read_alike_in_any_stored_order(far, turned):
    rows = [row("u1", "user", at=far), row("u2", "user", at=5), row("u3", "user", at=9)]
    child = row("a4", "assistant", "u2", at=6)
    flow = parse([child, *rows] if turned else [*rows, child])
    others = ["u2", "a4", "u3"]
    assert ids(flow) == ([*others, "u1"] if far > 0 else ["u1", *others])

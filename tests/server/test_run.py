from __future__ import annotations

import socket

import pytest

from triptych.errors import UsageError
from triptych.server.run import bind


@pytest.fixture
def taken():
    with bind("127.0.0.1", 0) as listener:
        yield listener.getsockname()[1]


def test_a_taken_port_is_one_clear_sentence(taken):
    with pytest.raises(UsageError, match=f"Port {taken} is taken; choose another with --port"):
        bind("127.0.0.1", taken)


def test_a_taken_port_moves_to_a_later_one_when_asked(taken):
    with bind("127.0.0.1", taken, seek=True) as other:
        assert taken < other.getsockname()[1] <= taken + 50


def test_an_address_that_is_not_here_is_one_clear_sentence():
    with pytest.raises(UsageError, match="no address"):
        bind("no-such-host.invalid", 8321)


def test_ipv6_works_where_the_machine_has_it():
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        with bind("::1", 0) as listener:
            assert listener.family == socket.AF_INET6
    except UsageError:
        pytest.skip("no IPv6 loopback here")

"""The description and the server agree, whatever is asked (schemathesis over the application)."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from tests.server.fake_chat import FakeChat

from triptych.server.app import create_app

CHAT = FakeChat(lambda text: [text[:10]], {"Harbour.md": "# Harbour"})
APP = create_app(CHAT, hosts=None)
schema = schemathesis.openapi.from_asgi("/api/openapi.json", APP).exclude(path_regex="/events$")


@pytest.mark.filterwarnings("default")
@schema.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_answers_as_described(case):
    case.call_and_validate()

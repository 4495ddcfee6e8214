"""From a model request to a body that the server will take: the same for every provider."""

from __future__ import annotations

from triptych.model.profile import Profile
from triptych.ports.provider import ModelRequest
from triptych.wires.payload import Payload

__all__ = ["prepared"]


def prepared(request: ModelRequest, profile: Profile) -> Payload:
    """Compile; a ``UsageError`` says when there is nothing that could be sent."""
    raise NotImplementedError

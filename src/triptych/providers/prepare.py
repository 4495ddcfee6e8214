"""From a model request to a body that the server will take: the same for every provider."""

from __future__ import annotations

from triptych.model.profile import Profile
from triptych.ports.provider import ModelRequest
from triptych.wires.compile import compile as compile_payload
from triptych.wires.payload import Payload

__all__ = ["prepared"]


def prepared(request: ModelRequest, profile: Profile) -> Payload:
    """A body that breaks no rule of the profile; a ``UsageError`` says when there is nothing to send."""
    return compile_payload(
        request.messages,
        to=profile.wire,
        profile=profile,
        tools=request.tools,
        options=request.options,
        model=request.model,
        cache=request.cache,
    )

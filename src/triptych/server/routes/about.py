"""What this server is: its model, its vault, what a person should know."""

from __future__ import annotations

import inspect
from typing import Any, Final

import msgspec

from triptych.server.operations import Operation
from triptych.server.service import Service
from triptych.server.shapes import ModelInfo, ModelList, Status

__all__ = ["ABOUT"]


async def list_models(service: Service) -> ModelList:
    """The models that can be chosen, the one in use first."""
    return ModelList(models=await _models(service))


async def read_status(service: Service) -> Status:
    """The model in use, the vault, and what a person should know about them."""
    models = await _models(service)
    return Status(
        version=service.version,
        model=models[0] if models else None,
        vault=service.vault_name,
        notes=len(await service.chat.vault.notes()),
        diagnostics=service.diagnostics,
    )


async def _models(service: Service) -> list[ModelInfo]:
    given: Any = service.chat.models()
    found = await given if inspect.isawaitable(given) else given
    return [msgspec.convert(one, ModelInfo, from_attributes=True) for one in found]


ABOUT: Final[tuple[Operation[Service], ...]] = (
    Operation(method="GET", path="/models", run=list_models, answer=ModelList),
    Operation(method="GET", path="/status", run=read_status, answer=Status),
)

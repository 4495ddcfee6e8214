"""What this server is: its model, its vault, what a person should know."""

from __future__ import annotations

from typing import Final

from triptych.server.operations import Operation
from triptych.server.service import Service
from triptych.server.shapes import ModelList, Status

__all__ = ["ABOUT"]


async def list_models(service: Service) -> ModelList:
    """The models that can be chosen, the one in use first."""
    return ModelList(models=service.models)


async def read_status(service: Service) -> Status:
    """The model in use, the vault, and what a person should know about them."""
    vault = service.chat.vault
    return Status(
        version=service.version,
        model=service.models[0] if service.models else None,
        vault=service.vault_name,
        notes=0 if vault is None else len(await vault.notes()),
        imports=service.importer is not None,
        searches=service.chat.search is not None,
        diagnostics=service.diagnostics,
    )


ABOUT: Final[tuple[Operation[Service], ...]] = (
    Operation(method="GET", path="/models", run=list_models, answer=ModelList),
    Operation(method="GET", path="/status", run=read_status, answer=Status),
)

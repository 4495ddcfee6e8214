"""A llama.cpp server inside this process, by ``xllamacpp``.

It listens on 127.0.0.1 at a free port and answers only those who know its key, which is made for each start: the
prompts of one user are nobody else's on a shared machine. Starting takes about half a second, in which nothing
else runs in this process.
"""

from __future__ import annotations

import importlib
import secrets
from pathlib import Path
from typing import Any

from triptych.errors import ProviderError, UsageError
from triptych.providers.keys import Secret

__all__ = ["LlamaServer"]


class LlamaServer:
    """One model, loaded and served until ``close``.

    Attributes:
        address: ``http://127.0.0.1:PORT``.
        secret: what requests have to carry as a bearer token.
    """

    def __init__(
        self,
        weights: Path,
        *,
        context: int = 8192,
        threads: int = 2,
        template: str = "",
        alias: str = "local",
    ) -> None:
        self.secret = Secret(secrets.token_urlsafe(24))
        self._server: Any = _started(
            weights, alias, self.secret, context=context, threads=threads, template=template
        )
        self.address = str(self._server.listening_address)

    def close(self) -> None:
        """Stop serving and give the memory back."""
        self._server = None


def _started(weights: Path, alias: str, secret: Secret, *, context: int, threads: int, template: str) -> Any:
    try:
        xllamacpp: Any = importlib.import_module("xllamacpp")
    except ImportError as problem:
        raise UsageError(
            "The local model needs the package xllamacpp: run pip install 'triptych[local]'"
        ) from problem
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.model_alias = {alias}
    settings.n_ctx = context
    settings.n_parallel = 1
    settings.port = 0
    settings.verbosity = 0
    settings.ui = False
    settings.endpoint_slots = settings.endpoint_metrics = True
    settings.api_keys = [secret.reveal()]
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    if template:
        settings.chat_template = template
    try:
        return xllamacpp.Server(settings)
    except (RuntimeError, ValueError, OSError) as problem:
        raise ProviderError(f"The model {weights.name} could not be loaded: {problem}") from problem

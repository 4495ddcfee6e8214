"""Every exception that Triptych raises.

* TriptychError
    * UsageError          what was asked cannot be done; the sentence says what to do instead
    * DataError           a value that had to be valid is not (strict readers only); has a path
    * StoreError          the durable home failed or refuses
    * ProviderError       a model's server failed; says whether trying again may help
    * PipelineError       a step of the context pipeline failed; names the step, keeps the cause

Bad *data* from outside is not an exception here: readers return a diagnostic beside what they could read.
"""

from __future__ import annotations

__all__ = ["DataError", "PipelineError", "ProviderError", "StoreError", "TriptychError", "UsageError"]

_CAUSE_LENGTH = 300


class TriptychError(Exception):
    """The root of the tree: catch it to catch everything that Triptych raises."""


class UsageError(TriptychError):
    """A request that cannot be carried out, in one sentence that says what to do."""


class DataError(TriptychError):
    """A strict reader met a value that does not fit.

    Attributes:
        path: where in the document, as ``$.parts[1].text``; ``$`` is the whole of it.
    """

    def __init__(self, message: str, *, path: str = "$") -> None:
        super().__init__(message)
        self.path = path


class StoreError(TriptychError):
    """The store could not read or write; nothing acknowledged before is lost."""


class ProviderError(TriptychError):
    """A provider refused, failed or went away.

    Attributes:
        retryable: whether the same request may succeed later.
        status: the HTTP status, or None when no answer came.
        body: what the provider said, cut to a readable length.
    """

    def __init__(
        self, message: str, *, retryable: bool = False, status: int | None = None, body: str = ""
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.status = status
        self.body = body


class PipelineError(TriptychError):
    """A step of the context pipeline failed.

    Attributes:
        processor: the name of the step.
        cause: the exception it raised, uncut.
    """

    def __init__(self, processor: str, cause: BaseException) -> None:
        text = str(cause)
        shown = text if len(text) <= _CAUSE_LENGTH else text[:_CAUSE_LENGTH] + "…"
        super().__init__(f"Step {processor!r} failed: {shown}")
        self.processor = processor
        self.cause = cause

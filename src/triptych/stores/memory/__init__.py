"""Everything in memory, gone with the process: for tests, pipes and one-shot work."""

from triptych.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]

"""Public fakes, and the contract suites that every adapter must pass."""

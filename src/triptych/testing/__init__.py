"""Public fakes, and the contract suites that every adapter has to pass."""

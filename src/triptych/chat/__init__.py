"""Use cases: what a person does with conversations, projects and notes. Async; speaks only to ports and the core."""

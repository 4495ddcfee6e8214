"""Steps that reshape a draft, one a file. Each file makes one step (or a few ways of the same one)."""

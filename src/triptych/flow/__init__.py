"""Reading a tree: rows to a walk (who speaks, in which order), a context tree and a flat list. Pure."""

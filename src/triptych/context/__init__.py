"""What the model sees, computed from what was stored: the context pipeline, its steps, its budget.

``draft_of(rows)`` makes a draft, ``ContextEngine(steps).run(draft)`` runs steps over it, ``pipelines`` has ready ones.
"""

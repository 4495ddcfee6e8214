"""The composition root: the only place that knows which adapter is used for which port."""

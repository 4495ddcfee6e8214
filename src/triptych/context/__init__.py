"""What the model sees: drafts, steps, the pipeline, budget, compaction, the envelope. Pure."""

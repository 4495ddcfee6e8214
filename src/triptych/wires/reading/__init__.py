"""What the reading side of every wire shares: foreign values, failures, the event writer, the decoder."""

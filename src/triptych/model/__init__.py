"""Words: the frozen values that every room speaks. No I/O, no clock, no ids minted."""

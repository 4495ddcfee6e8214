"""What we need from outside, as protocols of one to five methods."""

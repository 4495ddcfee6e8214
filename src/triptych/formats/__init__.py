"""Foreign and old files live only here: one module or folder a format, read into one tree and written back."""

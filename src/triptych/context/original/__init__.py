"""The original's behaviour, for its vectors: its names, its fixed texts, its flat counters.

Everything that is not our own wording or habit lives in this folder and nowhere else.
"""

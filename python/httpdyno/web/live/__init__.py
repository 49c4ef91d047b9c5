"""The page of a run under way: its parts, and its stream to all viewers."""

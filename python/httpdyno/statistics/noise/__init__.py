"""Noise between trials: its skew, its shape, and the size of a difference that shows beside it."""

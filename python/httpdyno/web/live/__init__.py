"""Runs under way: their state from their journals, and its stream to all viewers."""

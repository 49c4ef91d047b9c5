"""Intervals, ratios and outcomes from trials: pure and seeded, no file is opened."""

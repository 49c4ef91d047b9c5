"""Intervals, ratios and outcomes from trials: pure, no file is opened."""

"""Simulated studies with known truth, for `benches/coverage.py`."""

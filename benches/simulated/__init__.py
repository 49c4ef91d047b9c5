"""Simulated studies: with known truth for `benches/coverage.py`, and large ones for `benches/report.py`."""

"""Simulated studies: for `benches/coverage.py` and `benches/report.py`."""

"""Simulated studies: for `benches/coverage.py` and `benches/pages/report.py`."""

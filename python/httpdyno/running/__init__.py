"""The parts of a run, of which `run.py` is the table of contents."""

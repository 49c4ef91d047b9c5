"""Measures the trials of a run: the ceilings of the generator, then trial by trial."""

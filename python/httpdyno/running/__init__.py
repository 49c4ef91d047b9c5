"""The parts of the story that `run.py` tells: prepare, ceiling, trial."""

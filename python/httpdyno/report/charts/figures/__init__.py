"""One file per chart."""

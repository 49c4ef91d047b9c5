"""Queues whose capacity is known: by theory, and as servers of simulated time."""

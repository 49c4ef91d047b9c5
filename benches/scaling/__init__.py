"""The cost of several machines: to the engine inside a worker, to a trial, and of a merge."""

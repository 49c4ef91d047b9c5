"""The cost of several machines: what a worker costs the engine, and what the coordinator costs a trial."""

"""Stored runs as files that another machine can import, and as numbers over time."""

"""Benchmarks of the live page."""

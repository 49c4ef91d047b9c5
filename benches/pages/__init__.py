"""Benchmarks of pages and pictures."""

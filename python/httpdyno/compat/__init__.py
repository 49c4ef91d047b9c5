"""Compatibility with httperf and ab: their options and files in, their output out."""

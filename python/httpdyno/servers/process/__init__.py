"""Starts servers, watches their processes, and stops them."""

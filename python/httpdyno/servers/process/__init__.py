"""Starts servers, holds their processes to their limits, and stops them."""

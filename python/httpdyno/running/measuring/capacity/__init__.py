"""Measures the capacity of an arm: one climb along rates for each start of its server."""

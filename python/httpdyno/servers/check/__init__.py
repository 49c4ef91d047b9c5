"""Checks a server: its answers byte for byte, its HTTP conformance, and how it stops."""

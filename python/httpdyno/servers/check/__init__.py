"""Checks a server's answers byte for byte, and how it speaks HTTP."""

"""A dynamometer for web servers: curves, intervals and verdicts, not single numbers."""

__version__ = "0.1.0"

__all__ = ["__version__"]

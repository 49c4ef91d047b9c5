"""`httpdyno load URL`: flags → plan → engine → summary, files, verdict, exit code."""

from httpdyno.cli.load.verb import load

__all__ = ["load"]

"""`httpdyno load URL`: flags → plan → engine → summary, files, verdict, exit code."""

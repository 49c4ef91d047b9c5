"""The output of `httpdyno load`: measurement → summary, files, exit code."""

"""What `httpdyno load` prints and writes: measurement → summary, files, exit code."""

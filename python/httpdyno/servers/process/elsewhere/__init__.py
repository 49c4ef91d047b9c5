"""A server that httpdyno did not start, and will not stop."""

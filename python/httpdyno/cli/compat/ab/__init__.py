"""`httpdyno ab`."""

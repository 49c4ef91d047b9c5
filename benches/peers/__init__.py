"""Compares httpdyno with other load generators and with the bare limit, at the same work."""

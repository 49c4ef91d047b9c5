"""The requests of `httpdyno load`: from flags, lists of URLs and session logs."""

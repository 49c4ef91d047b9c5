"""`httpdyno runs`: the stored runs."""

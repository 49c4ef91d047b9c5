"""`httpdyno hosts`, `httpdyno worker` and `httpdyno scheduler`: load from several machines."""

"""`httpdyno serve`, and the page of a run (`--serve`)."""

"""`httpdyno servers`: list, show, install, check and start servers."""

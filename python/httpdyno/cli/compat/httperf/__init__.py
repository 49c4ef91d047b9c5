"""`httpdyno httperf`."""

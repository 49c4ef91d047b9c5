"""`httpdyno httperf` and `httpdyno ab` beside the real tools."""

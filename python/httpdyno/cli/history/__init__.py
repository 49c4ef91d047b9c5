"""`httpdyno history`: numbers of stored runs over time."""

"""`httpdyno run STUDY`: study → trials → table and report."""

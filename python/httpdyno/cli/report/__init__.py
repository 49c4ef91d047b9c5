"""`httpdyno report` and `httpdyno publish`: results as pages and files."""

"""The command line of `httpdyno load`: flags → engine plan."""

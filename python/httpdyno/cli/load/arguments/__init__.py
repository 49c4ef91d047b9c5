"""The arguments of `httpdyno load`: flags → engine plan."""

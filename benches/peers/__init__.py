"""httpdyno beside its peers and beside the bare limit: what each costs for the same work."""

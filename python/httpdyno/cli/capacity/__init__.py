"""`httpdyno capacity ARM`: how much traffic a server takes within limits."""

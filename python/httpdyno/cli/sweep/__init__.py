"""`httpdyno sweep`: the command line of a load generator, run once for each of several rates."""

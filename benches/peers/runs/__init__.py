"""One run of one generator against one server, and the interleaved rounds of many."""

"""ab, the benchmark of the Apache HTTP server: its options, its requests and its output."""

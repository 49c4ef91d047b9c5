"""httperf 0.9.0: its options, its workloads and its output, on the engine of httpdyno."""

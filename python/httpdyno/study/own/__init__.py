"""What a study brings itself: arms without a `server.toml`, and workloads."""

"""Definitions in the study itself: arms without a `server.toml`, and workloads."""

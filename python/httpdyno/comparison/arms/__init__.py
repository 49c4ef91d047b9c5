"""The arms of a comparison: what the user names, built and started, or measured earlier."""

"""Reads `server.toml` files and checks them: the servers that can be measured."""

"""Installs servers, each in a cache folder of its own."""

"""Revisions of a git repository, copied into the cache folder to be built and started."""

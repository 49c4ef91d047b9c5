"""Limits: their grammar, and the record of a walk along rates that holds or breaks them."""

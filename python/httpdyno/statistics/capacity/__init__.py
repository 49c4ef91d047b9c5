"""The capacity of an arm from its climbs, and in a sentence."""

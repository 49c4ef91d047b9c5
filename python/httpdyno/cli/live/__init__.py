"""The views on a terminal while a verb works: the verbs give the facts, this package draws them."""

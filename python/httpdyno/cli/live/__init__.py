"""What a terminal shows while a verb works: the verbs give the facts, this package draws them."""

"""Studies of the same name in several projects: told apart, found by name, and resumed."""

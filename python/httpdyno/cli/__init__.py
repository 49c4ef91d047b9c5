"""The command line: a file a verb; each reads flags, calls one function, shows what came back."""

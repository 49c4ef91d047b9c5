"""The frame of the command line: the table of verbs, and their commands in Click."""

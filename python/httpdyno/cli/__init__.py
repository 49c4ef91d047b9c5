"""The command line: one file or folder per verb, which reads flags and shows the result."""

"""Verbs that take the options of other load generators and print their output."""

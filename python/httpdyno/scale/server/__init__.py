"""The servers of a study on a machine of their own, and the path to it."""

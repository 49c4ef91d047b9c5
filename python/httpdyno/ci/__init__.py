"""Comparisons in CI: the two builds of a pull request, and the places where the answer is read."""

"""Texts of a report: names, numbers, explanations."""

"""Prose beside the answer and the titles: limits, legends, explanations, terminals and exports."""

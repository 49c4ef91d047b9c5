"""What needs all arms of a study at once: adjusted comparisons, ranks, the rule that stops it."""

"""Statistics over all arms of a study: adjusted comparisons, ranks, the rule that stops it."""

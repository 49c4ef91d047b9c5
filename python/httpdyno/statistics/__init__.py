"""Pure and seeded: from trials to intervals, ratios and outcomes. Opens nothing."""

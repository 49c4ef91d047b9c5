"""Building blocks that several charts share."""

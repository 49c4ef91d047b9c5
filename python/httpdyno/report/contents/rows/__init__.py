"""Rows of the tables: arms, numbers, comparisons, ranks; and charts."""

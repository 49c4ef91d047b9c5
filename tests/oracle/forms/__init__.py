"""The known forms of sentences, a table for each place where results are claimed."""

"""The words and tables of a report, without charts."""

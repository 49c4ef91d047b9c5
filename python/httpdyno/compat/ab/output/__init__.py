"""The output of ab: text, HTML, and the files of its options."""

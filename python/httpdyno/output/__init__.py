"""Everything that leaves the program: output files, printable text, masked secrets."""

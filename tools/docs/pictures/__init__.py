"""Takes the pictures of docs/images/ anew, from real runs: `make pictures`."""

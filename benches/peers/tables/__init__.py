"""From measurements to ratios, goals and the tables of the pages in `docs/`."""

"""From a study's result to drawings: each chart as SVG, with its finding as title."""

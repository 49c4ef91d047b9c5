"""Charts as PNG and SVG files."""

"""The documentation as a site: the Markdown of this repository, staged, built and checked."""

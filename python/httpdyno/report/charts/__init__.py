"""The charts: a study's result in, Vega-Lite specifications out. The only package that knows Altair."""

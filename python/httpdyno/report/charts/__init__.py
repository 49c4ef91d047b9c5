"""From a study's result to Vega-Lite specifications: the only package that knows Altair."""

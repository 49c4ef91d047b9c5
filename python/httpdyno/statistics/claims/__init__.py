"""The claims about a study: comparisons, ranks and kept rates, decided once and together."""

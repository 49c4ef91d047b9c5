"""The checks of a verdict: each looks at one thing and gives the words for its rule, or None.

A check sees its condition only; which reason makes another one redundant, `rules.py` says.
"""

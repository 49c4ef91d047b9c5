"""The tables of forms, by the place of the sentences."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.forms.answers import ANSWERS
from oracle.forms.histories import HISTORIES
from oracle.forms.leads import LEADS
from oracle.forms.orders import ORDERS
from oracle.forms.prose.explanations import EXPLANATIONS
from oracle.forms.prose.exports import JUNIT, TERMINAL
from oracle.forms.prose.limits import LIMITS
from oracle.forms.prose.marks import CARDS, LEGENDS, ROWS
from oracle.forms.prose.pages import PAGES
from oracle.forms.prose.stops import STOPS
from oracle.forms.ranks import RANKS
from oracle.forms.rates import DOUBTS, RATES
from oracle.forms.ratios import RATIOS
from oracle.forms.replays import REPLAYS
from oracle.forms.shapes import SHAPES
from oracle.forms.sweeps import SWEEPS
from oracle.forms.times import CAPACITY, TIMES
from oracle.forms.verbs import COMPARES, LOADS
from oracle.reading import Form

OF: dict[str, Sequence[Form]] = {
    "title": (*RANKS, *ORDERS, *RATIOS, *RATES, *TIMES, *CAPACITY, *REPLAYS, *DOUBTS),
    "answer": (*LEADS, *ANSWERS, *SHAPES),
    "page": (*LIMITS, *LEADS, *ANSWERS, *EXPLANATIONS, *SHAPES, *STOPS),
    "html": (*LIMITS, *LEADS, *ANSWERS, *EXPLANATIONS, *SHAPES, *LEGENDS, *PAGES, *STOPS),
    "terminal": (*LEADS, *TERMINAL, *SHAPES, *STOPS),
    "junit": JUNIT,
    "card": CARDS,
    "row": ROWS,
    "legend": LEGENDS,
    "table": (),
    "sweep": SWEEPS,
    "history": HISTORIES,
    "compare": COMPARES,
    "load": LOADS,
}
"""The forms of a surface."""


def of_surface(surface: str) -> Sequence[Form]:
    """The forms that a surface may have."""
    return OF[surface]

"""Doubts: the reasons of a verdict, and the numbers that each casts doubt on.

The lowest floor of verdicts, results and reports.
"""

from httpdyno.doubts.marks import COLOURS, MARKS, mark
from httpdyno.doubts.numbers import NUMBERS, READ_FOR, in_words
from httpdyno.doubts.reasons import Reason, Status, status_of, suspect_numbers, why_invalid
from httpdyno.metrics import Number

__all__ = [
    "COLOURS",
    "MARKS",
    "NUMBERS",
    "READ_FOR",
    "Number",
    "Reason",
    "Status",
    "in_words",
    "mark",
    "status_of",
    "suspect_numbers",
    "why_invalid",
]

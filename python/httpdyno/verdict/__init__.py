"""Decides whether a measurement may be published.

`judge` gives a `Verdict`: `valid`, `suspect` (shown, marked, with its reasons) or `invalid` (no
result). Each reason carries its number, its threshold and what to do. To add a rule: a function in
`checks/`, an entry in `rules.py`, a row in `docs/concepts/verdicts.md`, and its cases in tests.
`judge_log` applies those of the rules that it can to the raw log of a run that somebody published.
"""

from httpdyno.verdict.context import Context, Settings
from httpdyno.verdict.judge import Verdict, judge
from httpdyno.verdict.log import Log, judge_log
from httpdyno.verdict.rule import Rule
from httpdyno.verdict.rules import RULES

__all__ = ["RULES", "Context", "Log", "Rule", "Settings", "Verdict", "judge", "judge_log"]

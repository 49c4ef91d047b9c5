"""Notes on a load as a whole, once for all its cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from httpdyno.measurement import Measurement
from httpdyno.outcome import TrialOutcome
from httpdyno.units import duration, significant, span

_OWN_REASONS = {"too_short", "too_few"}


def note_on_published(trials: Sequence[TrialOutcome]) -> str:
    """A note on trials of a published load that are short by design; empty if they are long enough.

    Their verdicts do not hold it against each cell; see `as_published` in `judge`.
    """
    brief = [m for trial in trials if (m := _brief(trial)) is not None]
    if not brief:
        return ""
    calls = _range([m.calls.ended for m in brief], significant)
    window = _range([m.window_s for m in brief], duration)
    return (
        f"about {calls} calls in {window} per trial, the published size; httpdyno would choose more"
    )


def _range(values: Sequence[float], form: Callable[[float], str]) -> str:
    """`97.0 to 236 ms`: the arms of a load may take very different times for it."""
    low, high = form(min(values)), form(max(values))
    return low if low == high else span(low, high)


def _brief(trial: TrialOutcome) -> Measurement | None:
    explained = any(reason.code in _OWN_REASONS for reason in trial.reasons)
    m = trial.measurement if trial.usable and not explained else None
    return m if m is not None and m.is_brief else None

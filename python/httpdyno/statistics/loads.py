"""Notes on a load as a whole, once for all its cells."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from httpdyno.measurement import Measurement
from httpdyno.outcome import TrialOutcome
from httpdyno.units import duration, significant

_OWN_REASONS = {"too_short", "too_few"}


def note_on_published(trials: Sequence[TrialOutcome]) -> str:
    """A note on trials of a published load that are short by design; empty if they are long enough.

    Their verdicts do not hold it against each cell; see `as_published` in `judge`.
    """
    brief = [m for trial in trials if (m := _brief(trial)) is not None]
    if not brief:
        return ""
    calls = significant(median(m.calls.ended for m in brief))
    window = duration(median(m.window_s for m in brief))
    return (
        f"about {calls} calls in {window} per trial, the published size; httpdyno would choose more"
    )


def _brief(trial: TrialOutcome) -> Measurement | None:
    told = any(reason.code in _OWN_REASONS for reason in trial.reasons)
    m = trial.measurement if trial.usable and not told else None
    return m if m is not None and m.is_brief else None

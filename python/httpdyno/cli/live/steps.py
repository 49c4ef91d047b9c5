"""The lines about a verb of several steps: a bar, the step under way, the last results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from httpdyno.cli.live.drawing import bar
from httpdyno.cli.live.load import LABEL, charts, errors, place, tried
from httpdyno.cli.live.pace import Pace, Series
from httpdyno.cli.live.text import styled
from httpdyno.units import roughly

__all__ = ["MARKS", "Steps", "overview", "steps_lines"]

MARKS = {"valid": ("✓", "green"), "suspect": ("?", "yellow"), "invalid": ("✕", "red")}
"""The mark of a verdict, and its colour."""
_BAR = 40
_MOST_RESULTS = 12


@dataclass
class Steps:
    """A verb at work, as far as it is shown. Texts are printable."""

    title: str
    noun: str
    """Of the steps: `trials`."""
    now: Sequence[str] = ()
    """The step under way; several if they run at once."""
    number: int = 0
    """Steps that have ended."""
    of: int = 0
    left_s: float | None = None
    pace: Pace | None = None
    """The measurement under way."""
    tried: Series | None = None
    """The rates that a search has tried in this step."""
    results: list[str] = field(default_factory=list)
    """The results so far, in order."""

    def add(self, mark: str, style: str, text: str) -> None:
        """A step has ended with this result."""
        self.results = [*self.results, f"{styled(mark, style)} {text}"][-_MOST_RESULTS:]


def steps_lines(steps: Steps, width: int, height: int) -> list[str]:
    """The whole view, in at most `height` lines."""
    lines = ["", styled(steps.title, "bold")][0 if height >= 12 else 1 :] if height >= 6 else []
    lines += overview(steps, width)
    pace = steps.pace
    phase = ""
    if pace is not None and pace.now is not None:
        words = {"connecting": "connecting", "warm_up": "warming up, "}.get(pace.now.phase, "")
        phase = f"  {styled(words + (place(pace) if words != 'connecting' else ''), 'dim')}"
    now = [*steps.now] or ["preparing"]
    lines += [f"{'now' if row == 0 else '':<{LABEL}}{one}" for row, one in enumerate(now)]
    lines[-1] += phase
    room = height - len(lines)
    if pace is not None and pace.now is not None and room >= 2:
        each = 1 if room < 14 else 2
        if steps.tried is not None:
            lines += tried(steps.tried, width, each)
        else:
            lines += charts(pace, width, {"rate": each, "p99": each})
        if pace.now.failed:
            lines.append(f"{'errors':<{LABEL}}{styled(errors(pace.now), 'red')}")
    room = height - len(lines) - 1
    if steps.results and room > 0:
        newest = steps.results[: -room - 1 : -1]
        lines += [f"{'' if row else 'verdicts':<{LABEL}}{one}" for row, one in enumerate(newest)]
    return lines


def overview(steps: Steps, width: int) -> list[str]:
    """The bar over all steps, with the time that is left; nothing before their number is known."""
    if not steps.of:
        return []
    left = "" if steps.left_s is None else f"about {roughly(steps.left_s)} left"
    place_of = f"{steps.number} of {steps.of} {steps.noun}"
    if steps.number == steps.of:
        left = ""
    drawn = bar(_share(steps), max(10, min(_BAR, width - len(place_of) - len(left) - 4)))
    return [f"{styled(drawn, 'cyan')}  {place_of}  {styled(left, 'dim')}".rstrip()]


def _share(steps: Steps) -> float:
    within = steps.pace.share if steps.pace is not None else None
    return min(1.0, (steps.number + 0.9 * (within or 0.0)) / steps.of)

"""The rates that the arms kept up with, in words: for the answer and for titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from httpdyno.listing import both
from httpdyno.result import KeptUp
from httpdyno.statistics.claims.sentences import under
from httpdyno.study import AnyLoad
from httpdyno.units import counted, plain

MOST_GROUPS = 3
"""With more different limits, only the best is given in full."""
MOST_NAMED = 3
"""More arms than this are counted, not named."""


def rates_of_loads(
    claims: Sequence[KeptUp], names: Mapping[str, str], loads: Mapping[str, AnyLoad]
) -> Iterator[str]:
    """A sentence for each load. `names`: of the arms; `loads`: of the study."""
    for name in dict.fromkeys(one.load for one in claims):
        title, one_rate = loads[name].title or name, len(loads[name].points()) == 1
        text = rates_kept([one for one in claims if one.load == name], names, one_rate=one_rate)
        yield f"{under(title)}: {text}."


def rates_kept(
    claims: Sequence[KeptUp], names: Mapping[str, str], unit: str = "/s", *, one_rate: bool = False
) -> str:
    """`a kept up with 2,000/s; b kept up with 1,000/s and fell behind at 2,000/s`."""
    if not claims:
        return "Not known how far the arms kept up"
    if all(one.all_of_it for one in claims):
        every = "" if one_rate else "every rate, up to "
        sure = _in_trials(claims, one_rate=one_rate)
        return f"{_all(claims, names)} kept up with {every}{_highest(claims)}{unit}{sure}"
    groups: dict[tuple[float | None, float | None, tuple[float, ...]], list[KeptUp]] = {}
    for one in sorted(claims, key=_best_first):
        key = (one.up_to_per_s, one.fell_behind_at_per_s, tuple(one.unknown_at_per_s))
        groups.setdefault(key, []).append(one)
    if len(groups) <= MOST_GROUPS:
        return "; ".join(_group(mine, names, unit) for mine in groups.values())
    return "; ".join(_ends(list(groups.values()), names, unit))


def _in_trials(claims: Sequence[KeptUp], *, one_rate: bool = False) -> str:
    """` (in at least 4 of 5 trials)`; empty if all trials kept up."""
    partly = [(one.kept_trials, one.of_trials) for one in claims if one.kept_trials]
    if not partly:
        return ""
    kept, of = min(partly, key=lambda one: (one[0] or 0) / (one[1] or 1))
    least = "" if one_rate and len(claims) == 1 else "at least "
    return f" (in {least}{kept} of {of} trials)"


def _best_first(one: KeptUp) -> tuple[float, bool, int]:
    fell = one.fell_behind_at_per_s is not None
    return -(one.up_to_per_s or 0.0), fell, len(one.unknown_at_per_s)


def _group(same: Sequence[KeptUp], names: Mapping[str, str], unit: str) -> str:
    """Arms with the same limits."""
    who, one = _few(same, names), same[0]
    unknown = both([plain(rate) for rate in one.unknown_at_per_s])
    parts = []
    if one.up_to_per_s is not None:
        parts.append(f"kept up with {plain(one.up_to_per_s)}{unit}{_in_trials(same)}")
    if one.fell_behind_at_per_s is not None:
        parts.append(f"fell behind at {plain(one.fell_behind_at_per_s)}{unit}")
    if not parts:
        return f"{who}: not known at {unknown}{unit}"
    more = f" (not known at {unknown}{unit})" if unknown else ""
    return f"{who} {' and '.join(parts)}{more}"


def _ends(groups: Sequence[Sequence[KeptUp]], names: Mapping[str, str], unit: str) -> Iterator[str]:
    """The best of many groups, and how many of the others kept up, fell behind, or are unknown."""
    first, *rest = groups
    yield _group(first, names, unit)
    fell = sorted(
        (one for same in rest for one in same if one.fell_behind_at_per_s is not None),
        key=lambda one: one.fell_behind_at_per_s or 0.0,
    )
    others = [same for same in rest if same[0].fell_behind_at_per_s is None]
    kept = [same for same in others if same[0].up_to_per_s is not None]
    unknown = [one for same in others for one in same if one.up_to_per_s is None]
    if len(kept) == 1:
        yield _group(kept[0], names, unit)
    elif kept:
        every = [one for same in kept for one in same]
        rates = _ends_of([one.up_to_per_s or 0.0 for one in every])
        sure = _in_trials(every)
        yield f"{_few(every, names)} kept up with {rates}{unit}{sure} (not known at some rates)"
    if fell:
        rates = _ends_of([one.fell_behind_at_per_s or 0.0 for one in fell])
        yield f"{_few(fell, names)} fell behind at {rates}{unit}"
    if unknown:
        yield f"not known how far {_few(unknown, names)} kept up"


def _ends_of(rates: Sequence[float]) -> str:
    """`1,000 to 4,000`."""
    return " to ".join(dict.fromkeys(map(plain, (min(rates), max(rates)))))


def _few(same: Sequence[KeptUp], names: Mapping[str, str]) -> str:
    if len(same) > MOST_NAMED:
        return counted(len(same), "arm")
    return both([names[one.arm] for one in same])


def _all(claims: Sequence[KeptUp], names: Mapping[str, str]) -> str:
    if len(claims) == 1:
        return names[claims[0].arm]
    return "Both arms" if len(claims) == 2 else f"All {len(claims)} arms"


def _highest(claims: Sequence[KeptUp]) -> str:
    return plain(max(one.highest_per_s for one in claims))

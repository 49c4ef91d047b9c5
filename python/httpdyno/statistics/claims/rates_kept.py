"""The rates that the arms kept up with, in words: for the answer and for titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from httpdyno.listing import both
from httpdyno.result import KeptUp
from httpdyno.units import counted, plain

MOST_GROUPS = 3
"""With more different limits, only the best is told whole."""
MOST_NAMED = 3
"""More arms than this are counted, not named."""


def rates_of_loads(
    claims: Sequence[KeptUp], names: Mapping[str, str], titles: Mapping[str, str]
) -> Iterator[str]:
    """A sentence for each load. `names`: of the arms; `titles`: of the loads."""
    for load in dict.fromkeys(one.load for one in claims):
        title = titles[load]
        said = rates_kept([one for one in claims if one.load == load], names)
        yield f"{title[:1].upper()}{title[1:]}: {said}."


def rates_kept(claims: Sequence[KeptUp], names: Mapping[str, str], unit: str = "/s") -> str:
    """`a keeps up with 2,000/s; b keeps up with 1,000/s, fell behind at 2,000/s`."""
    if not claims:
        return "Not known how far the arms kept up"
    if all(one.all_of_it for one in claims):
        keeps = "keeps" if len(claims) == 1 else "keep"
        return f"{_all(claims, names)} {keeps} up with every rate, to {_highest(claims)}{unit}"
    groups: dict[tuple[float | None, float | None, tuple[float, ...]], list[KeptUp]] = {}
    for one in sorted(claims, key=lambda one: -(one.up_to_per_s or 0.0)):
        key = (one.up_to_per_s, one.fell_behind_at_per_s, tuple(one.unknown_at_per_s))
        groups.setdefault(key, []).append(one)
    if len(groups) <= MOST_GROUPS:
        return "; ".join(_group(mine, names, unit) for mine in groups.values())
    return "; ".join(_ends(list(groups.values()), names, unit))


def _group(same: Sequence[KeptUp], names: Mapping[str, str], unit: str) -> str:
    """Arms with the same limits."""
    who, one = _few(same, names), same[0]
    parts = []
    if one.up_to_per_s is not None:
        keeps = "keeps" if len(same) == 1 else "keep"
        parts.append(f"{who} {keeps} up with {plain(one.up_to_per_s)}{unit}")
    if one.fell_behind_at_per_s is not None:
        behind = f"fell behind at {plain(one.fell_behind_at_per_s)}{unit}"
        parts.append(behind if parts else f"{who} {behind}")
    if one.unknown_at_per_s:
        at = both([plain(rate) for rate in one.unknown_at_per_s])
        unknown = f"unknown at {at}{unit}"
        parts.append(unknown if parts else f"{who}: {unknown}")
    return ", ".join(parts)


def _ends(groups: Sequence[Sequence[KeptUp]], names: Mapping[str, str], unit: str) -> Iterator[str]:
    """The best of many groups, and how many of the others fell behind, or are unknown."""
    first, *rest = groups
    yield _group(first, names, unit)
    others = [one for same in rest for one in same]
    fell = sorted(
        (one for one in others if one.fell_behind_at_per_s is not None),
        key=lambda one: one.fell_behind_at_per_s or 0.0,
    )
    unknown = [one for one in others if one.fell_behind_at_per_s is None]
    if fell:
        ends = [plain(one.fell_behind_at_per_s or 0.0) for one in (fell[0], fell[-1])]
        yield f"{_few(fell, names)} fell behind at {' to '.join(dict.fromkeys(ends))}{unit}"
    if unknown:
        yield f"unknown how far {_few(unknown, names)} kept up"


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

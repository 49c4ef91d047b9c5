"""The answer in a few sentences: who leads, the others relative to it, and what is in doubt.

Every sentence is a claim of the statistics in words: a comparison, a ranking, a kept rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from httpdyno.plan import Arm
from httpdyno.result import Comparison, KeptUp, Reason
from httpdyno.statistics.capacity.answer import capacity_answer
from httpdyno.statistics.claims import sentences
from httpdyno.statistics.claims.family import Claims
from httpdyno.statistics.claims.rates_kept import rates_of_loads
from httpdyno.statistics.claims.sentences import Cells, Spoken
from httpdyno.study import ClosedLoad, Study
from httpdyno.units import duration


@dataclass(frozen=True)
class Answer:
    """The answer of a study."""

    lead: str
    """The sentences that everyone should read."""
    more: str = ""
    """The sentences that follow; empty: the lead is all of it."""
    load: str = ""
    """The load that its first sentence is about; empty: a capacity, or there is no result."""
    point: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.lead} {self.more}".strip()


def answer(
    study: Study,
    arms: Sequence[Arm],
    cells: Cells,
    found: Claims,
    titles: Mapping[str, str],
) -> Answer:
    """The answer of a study. `titles`: a server's title by its name."""
    spoken = {arm.name: speak(arm, titles) for arm in arms}
    searched = [row for row in cells.values() if row.capacity is not None]
    capacities = capacity_answer(searched, spoken) if searched else ""
    if searched and len(searched) == len(cells):
        return Answer(capacities)
    others = {key: row for key, row in cells.items() if row.capacity is None}
    first = _compared(study, arms, others, found, spoken)
    if capacities and not first.load:
        return Answer(capacities, f"Of the other loads: {first.lead[:1].lower()}{first.lead[1:]}")
    more = " ".join(filter(None, [first.more, capacities]))
    return Answer(first.lead, more, first.load, first.point)


def speak(arm: Arm, titles: Mapping[str, str]) -> str:
    """`Starlette (1 worker)`."""
    several = f", {arm.workload}" if arm.name.endswith(f" {arm.workload}") else ""
    if arm.alone:
        name = titles.get(arm.server, arm.server)
        return f"{name} ({arm.workload})" if several else name
    number, dash, noun = arm.deployment.partition("-")
    deployment = f"{number} {noun}" if dash and number.isdigit() else arm.deployment
    title = titles.get(arm.server, arm.server)
    own = arm.name.split("/")[0]
    name = title if own == arm.server else own
    return f"{name} ({deployment}{several})"


def _compared(
    study: Study, arms: Sequence[Arm], cells: Cells, found: Claims, spoken: Spoken
) -> Answer:
    if not any(row.status != "invalid" for row in cells.values()):
        return Answer(sentences.no_result(cells))
    controls = {arm.name for arm in arms if arm.control_of}
    told = [
        row
        for row in found.comparisons
        if row.metric in ("throughput", "p99") and row.arm not in controls and row.ratio is not None
    ]
    if not told:
        return _alone(study, found, spoken, cells)
    best = min(told, key=lambda row: _order(row, study, arms, cells))
    lead = [
        *_about(best, told, found, spoken, cells),
        f"Load: {_load_words(best, study)}.",
        *_doubt(best, told, cells),
        *_shapes(best, told, cells, spoken),
    ]
    more = [
        *_as_published(best, told, study, found, spoken, cells),
        *rates_of_loads(_other_rates(best, study, found), spoken, _titles(study)),
    ]
    return Answer(" ".join(lead), " ".join(more), best.load, best.point)


def _order(
    one: Comparison, study: Study, arms: Sequence[Arm], cells: Cells
) -> tuple[bool, bool, bool, bool, bool, float, int]:
    """Sort key of the places that an answer may be about, best first: with a decision, at full
    speed, valid, steady, of two servers, at the highest rate."""
    load = study.loads[one.load]
    server = {arm.name: arm.server for arm in arms}
    pair = [cells.get((name, one.load, one.point)) for name in (one.arm, one.baseline)]
    number = one.number or "throughput"
    rates = [row.rate_per_s or 0.0 for row in pair if row is not None]
    return (
        one.outcome == "no result",
        not isinstance(load, ClosedLoad),
        not all(row is not None and row.status_of(number) == "valid" for row in pair),
        load.duration is None or not load.keep_alive,
        server[one.arm] == server[one.baseline],
        -max(rates, default=0.0),
        [arm.name for arm in arms].index(one.arm),
    )


def _about(
    best: Comparison, told: Sequence[Comparison], found: Claims, spoken: Spoken, cells: Cells
) -> Iterator[str]:
    """The order at the place of one comparison: of two arms, or of more."""
    same = _same_place(best, told)
    if len(same) == 1:
        yield sentences.pair(best, spoken)
        return
    names = {name for one in same for name in (one.arm, one.baseline)}
    ranking = next(
        (
            one
            for one in found.rankings
            if (one.load, one.point) == (best.load, best.point)
            and names & {arm.arm for arm in one.arms}
        ),
        None,
    )
    if ranking is not None:
        yield from sentences.order(ranking, spoken, cells)
    elif best.outcome != "no result":
        yield sentences.pair(best, spoken)
    else:
        yield sentences.too_few(same, spoken, cells)


def _same_place(best: Comparison, told: Sequence[Comparison]) -> list[Comparison]:
    place = (best.load, best.point, best.baseline)
    return [one for one in told if (one.load, one.point, one.baseline) == place]


def _doubt(best: Comparison, told: Sequence[Comparison], cells: Cells) -> Iterator[str]:
    """The arms whose compared number is suspect, with the first reason."""
    same = _same_place(best, told)
    names = dict.fromkeys(name for one in same for name in (one.baseline, one.arm))
    found: dict[str, Sequence[Reason]] = {}
    for name in names:
        row = cells.get((name, best.load, best.point))
        number = best.number or "throughput"
        if row is not None and row.status_of(number) == "suspect":
            found[name] = row.reasons_of(number)
    reasons = [reason for mine in found.values() for reason in mine]
    if reasons:
        many = f"{len(found)} of {len(names)} results are" if len(names) > 2 else "This result is"
        many = f"1 of {len(names)} results is" if len(names) > 2 and len(found) == 1 else many
        yield f"{many} suspect: {reasons[0].text}."


def _shapes(
    best: Comparison, told: Sequence[Comparison], cells: Cells, spoken: Spoken
) -> Iterator[str]:
    """The compared arms whose trials one level does not describe."""
    same = _same_place(best, told)
    for name in dict.fromkeys(name for one in same for name in (one.baseline, one.arm)):
        row = cells.get((name, best.load, best.point))
        if row is not None and row.shape is not None:
            yield f"{spoken[name]}: {row.shape.text}."


def _as_published(
    best: Comparison,
    told: Sequence[Comparison],
    study: Study,
    found: Claims,
    spoken: Spoken,
    cells: Cells,
) -> Iterator[str]:
    """The same arms under the published load, beside the published ratio of two of them."""
    replayed = {row.load for row in study.published} - {best.load}
    same = [one for one in told if one.load in replayed and one.arm == best.arm]
    for one in same[:1]:
        numbers = {
            row.arm: row.requests_per_s
            for row in reversed(study.published)
            if row.load == one.load and row.requests_per_s
        }
        yield f"Under the published load: {' '.join(_about(one, told, found, spoken, cells))}"
        if one.arm in numbers and one.baseline in numbers:
            ratio = numbers[one.arm] / numbers[one.baseline]
            yield sentences.published(one, ratio, spoken)


def _other_rates(best: Comparison, study: Study, found: Claims) -> list[KeptUp]:
    """Of loads with offered rates, unless a post declared them or the answer is about one."""
    named = {row.load for row in study.published} | {best.load}
    return [one for one in found.kept_up if one.load not in named]


def _titles(study: Study) -> dict[str, str]:
    return {name: load.title or name for name, load in study.loads.items()}


def _alone(study: Study, found: Claims, spoken: Spoken, cells: Cells) -> Answer:
    """Nothing to compare: the first cell with a number that its load is for."""
    for (arm, load, point), row in cells.items():
        if arm not in spoken or row.status == "invalid":
            continue
        said = sentences.alone(row, spoken[arm])
        if not said:
            continue
        number = sentences.number_of(row)
        reasons = row.reasons_of(number)
        doubt = f" This result is suspect: {reasons[0].text}." if reasons else ""
        lead = f"{said} Load: {_titles(study)[load]}, {point}.{doubt}"
        more = " ".join(rates_of_loads(found.kept_up, spoken, _titles(study)))
        return Answer(lead, more, load, point)
    return Answer(sentences.no_result(cells))


def _load_words(one: Comparison, study: Study) -> str:
    load = study.loads[one.load]
    use = "keep-alive" if load.keep_alive else "one connection per request"
    length = f", {duration(load.duration)} per trial" if load.duration else ""
    return f"{use}, {one.point}{length}"

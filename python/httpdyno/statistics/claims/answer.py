"""The answer in a few sentences: who leads, the others relative to it, and what is in doubt.

Every sentence is a claim of the statistics in words: a comparison, a ranking, a kept rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from httpdyno.plan import Arm, Plan
from httpdyno.result import KeptUp
from httpdyno.statistics.capacity.answer import capacity_answer
from httpdyno.statistics.claims import sentences
from httpdyno.statistics.claims.family import Claims
from httpdyno.statistics.claims.places import Place, best_first, places
from httpdyno.statistics.claims.rates_kept import rates_of_loads
from httpdyno.statistics.claims.sentences import Cells, Spoken
from httpdyno.study import Study
from httpdyno.units import counted, duration


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


def answer(plan: Plan, cells: Cells, found: Claims, titles: Mapping[str, str]) -> Answer:
    """The answer of a study. `titles`: a server's title by its name."""
    spoken = {arm.name: speak(arm, titles) for arm in plan.arms if arm.control_of is None}
    searched = [row for row in cells.values() if row.capacity is not None]
    capacities = capacity_answer(searched, spoken) if searched else ""
    if searched and len(searched) == len(cells):
        return Answer(capacities)
    others = {key: row for key, row in cells.items() if row.capacity is None}
    first = _answer_comparison(plan, others, found, spoken)
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


def _answer_comparison(plan: Plan, cells: Cells, found: Claims, spoken: Spoken) -> Answer:
    if not any(row.status != "invalid" for row in cells.values()):
        return Answer(sentences.no_result(cells))
    every = places(plan.arms, cells, found)
    several = [place for place in every if len(place.known) > 1]
    if not several:
        return _alone(plan.study, every, found, spoken, cells)
    best = min(several, key=lambda place: best_first(place, plan))
    lead = [
        *_about(best, spoken, cells),
        f"Load: {_load_words(best, plan.study)}.",
        *_doubt(best),
        *(f"{spoken[row.arm]}: {row.shape.text}." for row in best.known if row.shape is not None),
    ]
    more = [
        *_as_published(best, several, plan, spoken, cells),
        *rates_of_loads(_other_rates(best, plan, found), spoken, plan.study.loads),
        *_of_protocols(found, spoken, cells),
    ]
    return Answer(" ".join(lead), " ".join(more), best.load, best.point)


def _about(place: Place, spoken: Spoken, cells: Cells) -> Iterator[str]:
    """The order of the arms at a place, and those without a result."""
    if len(place.known) == 2 and place.compared:
        yield sentences.pair(place.compared[0], spoken)
    elif place.ranking is not None:
        yield from sentences.order(place.ranking, spoken, cells)
        return
    else:
        yield sentences.too_few(place.known, spoken)
    yield from sentences.without(place.without, spoken)


def _doubt(place: Place) -> Iterator[str]:
    """The arms whose compared number is suspect, with the first reason."""
    known, number = place.known, place.number
    found = [row for row in known if row.status_of(number) == "suspect"]
    if found:
        are = "is" if len(found) == 1 else "are"
        many = f"{len(found)} of {len(known)} results {are}" if len(known) > 2 else "This result is"
        yield f"{many} suspect: {found[0].reasons_of(number)[0].text}."


def _as_published(
    best: Place, several: Sequence[Place], plan: Plan, spoken: Spoken, cells: Cells
) -> Iterator[str]:
    """The same arms under the published load, beside the published ratio of two of them."""
    replayed = plan.published_loads - {best.load}
    arms = {row.arm for row in best.rows}
    same = [place for place in several if place.load in replayed and arms & {*_arms(place)}]
    for place in same[:1]:
        numbers = {
            row.arm: row.requests_per_s
            for row in reversed(plan.study.published)
            if row.load == place.load and row.requests_per_s
        }
        yield f"Under the published load: {' '.join(_about(place, spoken, cells))}"
        for one in place.compared[:1]:
            if one.arm in numbers and one.baseline in numbers:
                ratio = numbers[one.arm] / numbers[one.baseline]
                yield sentences.published_ratio(one, ratio, spoken)


def _arms(place: Place) -> Iterator[str]:
    return (row.arm for row in place.rows)


def _other_rates(best: Place, plan: Plan, found: Claims) -> list[KeptUp]:
    """Of loads with offered rates, unless a post declared them or the answer is about one."""
    named = plan.published_loads | {best.load}
    return [one for one in found.kept_up if one.load not in named]


def _alone(
    study: Study, every: Sequence[Place], found: Claims, spoken: Spoken, cells: Cells
) -> Answer:
    """Nothing to compare: the first arm with a number that its load is for."""
    for place in every:
        for row in place.known:
            sentence = sentences.alone(row, spoken[row.arm])
            if not sentence:
                continue
            title = study.loads[place.load].title or place.load
            lead = [
                sentence,
                *sentences.without(place.without, spoken),
                f"Load: {title}, {place.point}.",
                *_doubt(place),
                *_of_protocols(found, spoken, cells),
            ]
            more = " ".join(rates_of_loads(found.kept_up, spoken, study.loads))
            return Answer(" ".join(lead), more, place.load, place.point)
    return Answer(sentences.no_result(cells))


def _of_protocols(found: Claims, spoken: Spoken, cells: Cells) -> Iterator[str]:
    """The CPU time of one version of HTTP in that of another, on the same arm."""
    several = len({one.work for one in found.protocols}) > 1
    for one in found.protocols:
        doubts = [
            reason.text
            for at in (one.older, one.newer)
            for reason in cells[one.of_arm, at.load, at.point].reasons_of(one.compared.number)
        ]
        yield from sentences.protocol(one, spoken, names_work=several, doubts=doubts)


def _load_words(place: Place, study: Study) -> str:
    """`keep-alive, 20 calls pipelined, 64 connections, 5.00 s per trial`."""
    load = study.loads[place.load]
    calls = f" of {counted(load.calls_per_arrival, 'call')}" if load.in_sessions else ""
    length = [f"{duration(load.duration)} per trial"] if load.duration else []
    return ", ".join([load.use_words(), f"{place.point}{calls}", *load.think_words(), *length])

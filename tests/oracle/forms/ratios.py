"""Titles of a chart of ratios: each arm compared with the baseline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from oracle.forms.orders import CLEAR
from oracle.numbers import Pairs, is_printed, number
from oracle.raw import better
from oracle.reading import Claim, Form, Heard

_METRICS = (
    ("capacity", "capacity"),
    ("p99", "p99"),
    ("CPU", "cpu"),
    ("request", "throughput"),
    ("answer", "throughput"),
)


def metric_of(heard: Heard) -> str:
    """The metric of a title, by its own words, else by those of the chart."""
    if heard.said.metric:
        return heard.said.metric
    for text in (heard.said.text, heard.said.whole):
        for word, metric in _METRICS:
            if word in text:
                return metric
    return "throughput"


def compared(heard: Heard, name: str = "a") -> Pairs | None:
    """The arm of a field, compared with the other arm of the sentence or the baseline."""
    other = heard.arm("b") if heard["b"] else heard.lab.baseline
    point = heard.point_of(name)
    return heard.lab.pairs(heard.arm(name), other, heard.load, point, metric_of(heard))


def contains(outer: tuple[str, str], inner: tuple[float, float], *, digits: int = 2) -> bool:
    """True if a printed interval holds this one, but for its rounding."""
    low, high = (number(one) for one in outer)
    return (low <= inner[0] * 1.001 or is_printed(outer[0], inner[0], digits)) and (
        high >= inner[1] * 0.999 or is_printed(outer[1], inner[1], digits)
    )


def shown(heard: Heard, name: str = "a") -> Iterator[str | Claim]:
    """The difference of an arm is shown, and its numbers are those of the trials."""
    found = compared(heard, name)
    if found is None:
        yield f"{heard[name]} has no block in common with the baseline"
        return
    yield from bounded(heard, heard.arm(name), heard.arm("b") if heard["b"] else heard.lab.baseline)
    if not found.is_shown:
        yield f"no difference is shown: {found.ratio:.4g}×, p {found.p:.3g}, {found.n} blocks"
    yield from printed(heard, found)
    other, metric = heard.arm("b") if heard["b"] else heard.lab.baseline, metric_of(heard)
    names = (heard.arm(name), other) if better(metric, found.ratio) else (other, heard.arm(name))
    yield Claim("order", names, heard.load, heard.point_of(name), metric)


def printed(heard: Heard, found: Pairs) -> Iterator[str]:
    """Ratio, percentage and interval are those of the trials."""
    times = next((heard[one] for one in ("r", "r2", "r3", "r4") if heard[one]), "")
    if times and not is_printed(times, found.ratio, 2):
        yield f"{times}: the ratio is {found.ratio:.4g}"
    if heard["p"] and not is_printed(heard["p"], abs(found.ratio - 1), 2):
        yield f"{heard['p']}: the ratio is {found.ratio:.4g}"
    if heard["p"] and number(heard["p"]) == 0 and found.ratio != 1:
        yield f"{heard['p']}: the ratio is {found.ratio:.9g}"
    if heard["low"]:
        yield from _interval(heard, found)


def quoted(heard: Heard, found: Pairs) -> Iterator[str]:
    """A difference is a percentage from 0.1× to 2×, and a multiple elsewhere: in all sentences."""
    if bool(heard["p"]) != (0.1 <= found.ratio < 2):
        yield f"a ratio of {found.ratio:.4g} is quoted as a {'share' if heard['p'] else 'multiple'}"


def _interval(heard: Heard, found: Pairs) -> Iterator[str]:
    ends = (heard["low"], heard["high"].removesuffix("×"))
    if not contains(ends, (found.low, found.high)):
        yield f"{ends[0]} to {ends[1]}: the 95 % interval is {found.low:.4g} to {found.high:.4g}"
    low, high = map(number, ends)
    claimed = not heard.said.text.startswith("No difference")
    if claimed and low <= 1 <= high and found.n >= heard.lab.fewest:
        yield f"a difference is claimed, and the printed interval {ends[0]} to {ends[1]} holds 1"


def _more(heard: Heard) -> Iterator[str | Claim]:
    yield from shown(heard)
    found = compared(heard)
    if found is not None and heard["way"] != "faster":
        yield from quoted(heard, found)
    up = any(word in heard["way"] for word in ("more", "slower", "longer"))
    if found is not None and heard["way"] and (found.ratio > 1) != up:
        yield f"{heard['way']}: the ratio is {found.ratio:.4g}"
    if (
        heard["way"] == "faster"
        and found is not None
        and not _near(heard["p"], 1 / found.ratio - 1)
    ):
        faster = f"{1 / found.ratio - 1:.0%} faster"
        yield f"{heard['p']} faster: a p99 of {found.ratio:.2f}× is {faster}"


def _near(text: str, value: float) -> bool:
    return abs(number(text) - value) <= 0.1 * value


def _same(heard: Heard) -> Iterator[str | Claim]:
    found, metric = compared(heard), metric_of(heard)
    if found is None:
        yield f"{heard['a']} has no block in common with the baseline"
        return
    if found.n >= heard.lab.fewest and found.p < CLEAR:
        yield f"they differ: {found.ratio:.4g}×, p {found.p:.3g}"
    if "too few trials" in heard.said.text and found.n >= heard.lab.fewest:
        yield f"there are {found.n} blocks in common"
    point = heard.point_of("a")
    yield Claim("tie", (heard.arm(), heard.arm("b")), heard.load, point, metric)


def bounded(heard: Heard, *arms: str) -> Iterator[str]:
    """An arm of which only a lower bound is known has no ratio."""
    if metric_of(heard) == "capacity":
        for arm in arms:
            if heard.lab.is_bound((arm, heard.load, heard.point)):
                yield f"only a lower bound of the capacity of {arm} is known"


def _count(heard: Heard, rows: Rows, total: int) -> Iterator[str]:
    """So many are compared: those that surely can be, and perhaps some that may."""
    sure = sum(_surely(heard, row) for row in rows if row[2].n >= heard.lab.fewest)
    lost = re.findall(r"no result (?:for|at) (\d+)|(\d+) compared by", heard.said.whole)
    if not sure <= total <= len(rows) + sum(int(one or other) for one, other in lost):
        yield f"{len(rows)} can be compared" + (
            f", {sure} of them surely" if sure < len(rows) else ""
        )


def _surely(heard: Heard, row: tuple[str, str, Pairs]) -> bool:
    """At a rate, p99 is compared where both arms keep up, and the throughput elsewhere."""
    metric, lab = metric_of(heard), heard.lab
    if heard.at().kind not in ("requests", "sessions") or metric not in ("p99", "throughput"):
        return True
    held = [lab.holds((arm, heard.load, row[1])) for arm in (row[0], lab.baseline)]
    return all(held) if metric == "p99" else False in held


Rows = Sequence[tuple[str, str, Pairs]]


def _rows(heard: Heard) -> list[tuple[str, str, Pairs]]:
    """Every arm that can be compared with the baseline, at every point."""
    lab, metric = heard.lab, metric_of(heard)
    points = [heard.point] if heard.point else [one.label for one in heard.at().points]
    found = []
    for point in points:
        for arm in lab.compared:
            pair = lab.pairs(arm.name, lab.baseline, heard.load, point, metric)
            if pair is not None and _perhaps(heard, arm.name, point):
                found.append((arm.name, point, pair))
    return found


def _perhaps(heard: Heard, arm: str, point: str) -> bool:
    """False where another metric is compared."""
    metric, lab = metric_of(heard), heard.lab
    if heard.at().kind not in ("requests", "sessions") or metric not in ("p99", "throughput"):
        return True
    held = [lab.holds((one, heard.load, point)) for one in (arm, lab.baseline)]
    return False not in held if metric == "p99" else not all(held)


def _none(heard: Heard) -> Iterator[str | Claim]:
    rows, count = _rows(heard), int(heard["n"])
    metric = metric_of(heard)
    yield from _count(heard, rows, count)
    others = {arm.name for arm in heard.lab.compared}
    if "arms" in heard.said.text:
        yield from heard.accounts_for(sorted(others - {arm for arm, _, _ in rows}))
    for arm, point, pair in rows:
        if pair.n >= heard.lab.fewest and pair.p < CLEAR:
            yield f"{arm} at {point} differs: {pair.ratio:.4g}×, p {pair.p:.3g}"
        yield Claim("tie", (arm, heard.lab.baseline), heard.load, point, metric)


def _several(heard: Heard) -> Iterator[str | Claim]:
    """`2 of 3 arms answer more requests than a, up to 1.61× (c)`."""
    rows, metric = _rows(heard), metric_of(heard)
    words = heard["every"]
    arms = "arm" in words or "arm" in heard.said.whole
    total = int(heard["m"] or heard["m2"] or 0) or (
        2 if words.lower() in ("both arms", "at both points") else 0
    )
    count = int(heard["n"] or 0) or total
    is_up = ", up to " in heard.said.text
    fit = [one for one in rows if (one[2].ratio > 1) == is_up and one[2].is_shown]
    if len(fit) < count:
        yield f"{len(fit)} of {len(rows)} are shown to be so"
    if total:
        yield from _count(heard, rows, total)
    others = {arm.name for arm in heard.lab.compared}
    if arms and total:
        yield from heard.accounts_for(sorted(others - {arm for arm, _, _ in rows}))
    yield from shown(replace(heard, fields={**heard.fields, "p": "", "low": ""}))
    for arm, point, pair in rows if len(fit) == count else ():
        if (arm, point, pair) in fit:
            names = (arm, heard.lab.baseline)
            names = names if better(metric, pair.ratio) else (names[1], names[0])
            yield Claim("order", names, heard.load, point, metric)


def _rest(heard: Heard) -> Iterator[str]:
    clear = [one for one in _rows(heard) if one[2].n >= heard.lab.fewest and one[2].p < CLEAR]
    if len(_rows(heard)) - len(clear) < int(heard["n"]):
        yield f"{len(clear)} of {len(_rows(heard))} differ"


def _no_result(heard: Heard) -> Iterator[str]:
    """`no result for 2`: of so many arms, or at so many points, there is no interval."""
    sure = [one for one in _rows(heard) if _surely(heard, one) and one[2].n >= heard.lab.fewest]
    others, points = len(heard.lab.compared), len(heard.at().points)
    if int(heard["n"]) > others * (1 if heard.point else points) - len(sure):
        yield f"{len(sure)} have a result"


def _elsewhere(heard: Heard) -> Iterator[str]:
    """`2 compared by throughput`: so many are not compared by the metric of the chart."""
    other = replace(heard, said=replace(heard.said, metric=heard["by"]))
    rows = [one for one in _rows(other) if one[2].n >= heard.lab.fewest]
    sure = [one for one in rows if _surely(other, one)] if heard.point else []
    if not len(sure) <= int(heard["n"]) <= len(rows):
        yield f"{len(sure)} to {len(rows)} are compared by {heard['by']}"


OR_LESS = "(?: \\(<down:ratio> or less\\))?"
"""The other side of a difference that is told as a ratio."""


def detectable(heard: Heard) -> Iterator[str]:
    """A difference that would have shown, told as a ratio on both sides from twice as much on."""
    least = number(heard["p"])
    if least <= 0:
        yield "a difference of nothing cannot be shown"
    elif bool(heard["down"]) != heard["p"].endswith("×"):
        yield f"{heard['p']} is told on one side"
    elif heard["down"] and abs(number(heard["down"]) * least - 1) > 0.1:
        yield f"{heard['down']} is not the other side of {heard['p']}"
    elif heard["side"] and least >= 0.5:
        yield f"a drop of {heard['p']} is told on both sides as a ratio"


def _nobody(heard: Heard) -> Iterator[str]:
    found = [one for one in _rows(heard) if one[2].n >= heard.lab.fewest]
    if found:
        yield f"{found[0][0]} can be compared"


_VERBS = r"(?:answers?|has|have|are|is|needs?)"
_KINDS = (
    "(?:(?:more|fewer) requests|(?:more|less) capacity|(?:faster|slower)"
    "|(?:more|less) CPU time per request)"
)
_TALE = r", (?:up|down) to <r:ratio> \(<a:cell>\)"
_SURE = r"\((?:<r:ratio>, )?<low:bare> to <high:ratio>\)"
_SURE_OF = _SURE.replace("(?:<r:ratio>, )?", "")
_SECTION = ("ratio",)


def _form(pattern: str, rule: object, example: str, sections: Sequence[str] = _SECTION) -> Form:
    return Form(pattern, rule, example, tuple(sections))  # type: ignore[arg-type]


RATIOS = (
    _form("no result (?:for|at) <n:n>", _no_result, "no result for 2"),
    _form("<n:n> compared by (?P<by>throughput|p99)", _elsewhere, "2 compared by throughput"),
    _form(
        f"<a:cell> has a p99 <p:percent> <way:text> than that of <b:arm> {_SURE}",
        _more,
        "a has a p99 14 % longer than that of b (1.14×, 1.10 to 1.18×)",
    ),
    _form(
        "(?P<every>Both arms|All <m:n> arms|<n:n> of <m2:n> arms) ha(?:s|ve) a (?:longer|shorter) "
        f"p99 than <b:arm>{_TALE}",
        _several,
        "2 of 3 arms have a shorter p99 than a, down to 0.61× (c)",
    ),
    _form(
        f"(?P<every><n:n>) (?:ha(?:s|ve) )?a (?:longer|shorter) one{_TALE}",
        _several,
        "1 a longer one, up to 1.61× (c)",
    ),
    _form(
        "<a:cell> (?:answers <r:ratio> as many requests as|has <r2:ratio> the capacity of|takes "
        "<r3:ratio> as long at p99 as|needs <r4:ratio> the CPU time per request of) <b:arm> "
        f"{_SURE_OF}",
        _more,
        "a answers 3.50× as many requests as b (2.50 to 5.00×)",
    ),
    _form(
        f"<a:cell> {_VERBS} <p:percent> <way:text> (?:requests |capacity |CPU time per request |at "
        f"p99 )?than <b:arm> {_SURE}",
        _more,
        "a answers 14 % more requests than b (1.14×, 1.10 to 1.18×)",
    ),
    _form(
        "No difference shown between <a:cell> and <b:arm>(?:: too few trials to say more)?",
        _same,
        "No difference shown between a and b: too few trials to say more",
    ),
    _form(
        "No difference shown between <b:arm> and <n:n> other arms",
        _none,
        "No difference shown between a and 3 other arms",
    ),
    _form(
        "No difference from <b:arm> shown at <n:n> points",
        _none,
        "No difference from a shown at 4 points",
    ),
    _form(
        f"(?P<every>Both arms|All <m:n> arms|<n:n> of <m2:n> arms) {_VERBS} {_KINDS} than "
        f"<b:arm>(?: at p99)?{_TALE}",
        _several,
        "2 of 3 arms answer more requests than a, up to 1.61× (c)",
    ),
    _form(
        "(?:(?:More|Fewer) requests|(?:More|Less) capacity|(?:Longer|Shorter) p99|(?:More|Less) "
        "CPU time per request) than <b:arm> (?P<every>at both points|at all <m:n> points|at <n:n> "
        f"of <m2:n> points){_TALE}",
        _several,
        "More requests than a at 2 of 3 points, up to 1.61× (c)",
    ),
    _form(
        "(?P<every><n:n>) (?:answer more|answers more|fewer|have more|has more|less|are faster|is "
        f"faster|are slower|is slower|needs? less|needs? more){_TALE}",
        _several,
        "1 fewer, down to 0.61× (c)",
    ),
    _form(
        f"(?:more|fewer|less|shorter|longer) at (?P<every><n:n>){_TALE}",
        _several,
        "fewer at 1, down to 0.61× (c)",
    ),
    _form("no difference shown (?:for|at) <n:n>", _rest, "no difference shown for 2"),
    _form(
        f"(?:a difference of |(?P<side>a drop of ))?<p:value> or more{OR_LESS} would probably have"
        " shown",
        detectable,
        "2.56 % or more would probably have shown",
    ),
    _form("No two arms could be compared", _nobody, "No two arms could be compared"),
)

"""The answer of a study: its first sentence, the other arms, the first places, its capacities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median

from oracle.forms.orders import CLEAR
from oracle.forms.ratios import OR_LESS, contains, detectable, printed, quoted
from oracle.numbers import is_printed
from oracle.raw import Load
from oracle.reading import Claim, ElsewhereError, Form, Heard, use_words


def _count(heard: Heard, n: int) -> Iterator[str]:
    if int(heard["n"]) != n:
        yield f"{n} blocks have both"


def _served(heard: Heard) -> Iterator[str | Claim]:
    """`B served 14 % more requests/s than A: 1.14×, 95 % CI 1.10 to 1.18, from 7 trials each`."""
    arm, other = heard.arm("a"), heard.arm("b")
    found = heard.lab.pairs(arm, other, heard.load, heard.point, "throughput")
    if found is None:
        yield "the two have no block in common"
        return
    yield from heard.all_named()
    yield from printed(heard, found)
    yield from _count(heard, found.n)
    if heard["way"] and (found.ratio >= 1) != (heard["way"] == "more"):
        yield f"{heard['way']}: the ratio is {found.ratio:.4g}"
    if not found.is_shown:
        yield f"no difference is shown: {found.ratio:.4g}×, p {found.p:.3g}"
    names = (arm, other) if found.ratio > 1 else (other, arm)
    yield from quoted(heard, found)
    yield Claim("order", names, heard.load, heard.point, "throughput")


def _same(heard: Heard) -> Iterator[str | Claim]:
    arm, other = heard.arm("a"), heard.arm("b")
    found = heard.lab.pairs(arm, other, heard.load, heard.point, "throughput")
    if found is None:
        yield "the two have no block in common"
        return
    yield from heard.all_named()
    yield from printed(heard, found)
    yield from _count(heard, found.n)
    if found.n >= heard.lab.fewest and found.p < CLEAR:
        yield f"they differ: {found.ratio:.4g}×, p {found.p:.3g}"
    yield Claim("tie", (arm, other), heard.load, heard.point, "throughput")


def _published(heard: Heard) -> Iterator[str]:
    numbers, lab = heard.study.published, heard.study
    wanted = heard["p"]
    ratios = [
        numbers[arm.name] / numbers[lab.baseline]
        for arm in lab.arms
        if arm.name != lab.baseline and numbers.get(arm.name) and numbers.get(lab.baseline)
    ]
    if wanted and not any(is_printed(wanted, one, 2) for one in ratios):
        yield f"{wanted}: the published numbers do not give it"


def _alone(heard: Heard) -> Iterator[str]:
    """`Ay served 1,340/s (95 % CI 1,320/s to 1,360/s, from 7 trials)`."""
    key = heard.key()
    value = heard.lab.level(key, "throughput")
    yield from heard.all_named()
    yield from heard.prints("v", value)
    values = heard.lab.values(key, "throughput")
    if int(heard["n"] or heard["n2"]) != len(values):
        yield f"{len(values)} trials have a result"
    load = heard.at()
    others = [arm for arm in heard.lab.known(heard.load, heard.point, "p99") if arm != heard.arm()]
    is_open = load.kind in ("requests", "sessions")
    if is_open and others and heard.lab.holds(key) is not False:
        yield (
            "this is the rate that was offered, of one arm; the response times of"
            f" {', '.join(others)} are known too"
        )


def _nothing_known(heard: Heard) -> Iterator[str]:
    lab = heard.study
    keys = list(lab.cells())
    if "other loads" in heard.said.text:
        keys = [key for key in keys if lab.load(key[1]).kind != "capacity"]
        if len(keys) == len(list(lab.cells())):
            yield "no load is a search for a capacity"
    known = [key for key in keys if lab.values(key, "throughput")]
    if known:
        yield f"{known[0]} has a result"
    trials = [one for key in keys for one in lab.of(key)]
    if bool(trials) == ("nothing was measured" in heard.said.text):
        yield f"there are {len(trials)} trials"


def _no_ratio(heard: Heard) -> Iterator[str]:
    found = heard.lab.pairs(heard.arm("a"), heard.arm("b"), heard.load, heard.point, "throughput")
    if found is not None:
        yield f"they have {found.n} blocks in common"


def _searches(heard: Heard) -> list[tuple[Load, str]]:
    """The searches that a sentence may be about, by the limits that it names."""
    every = [load for load in heard.study.loads if load.kind == "capacity"]
    named = [load for load in every if load.limits in heard.said.whole]
    return [(load, load.points[0].label) for load in named if load.limits in heard.said.text] or [
        (load, load.points[0].label) for load in named or every
    ]


def _of_a_search(rule: Callable[[Heard], Iterator[str]]) -> Callable[[Heard], Iterator[str]]:
    """The rule for one of the searches that the sentence may be about."""

    def of(heard: Heard) -> Iterator[str]:
        worst = ["the study searches for no capacity"]
        for load, point in _searches(heard):
            lab = replace(heard.study, arms=tuple(filter(load.measures, heard.study.arms)))
            try:
                found = list(rule(replace(heard, lab=lab, load=load.name, point=point)))
            except ElsewhereError as error:
                found = [str(error)]
            if not found:
                return
            worst = found
        yield from worst

    return of


def _holds(heard: Heard) -> Iterator[str]:
    """`Ay holds 5,000 requests/s at p99 ≤ 20 ms (95 % CI 4,900 to 5,100, 7 restarts)`."""
    arm, key = heard.arm(), heard.key()
    values, bound = heard.lab.climbs(key), heard.lab.is_bound(key)
    yield from heard.prints("v", median(values) if values else None)
    if bound != bool(re.search("or more|holds at least", heard.said.text)):
        yield f"it {'is' if bound else 'is not'} a lower bound only"
    if heard["n"] and int(heard["n"]) != len(values):
        yield f"{len(values)} climbs have a result"
    low, high = heard["low"], heard["high"]
    if low and values and not contains((low, high), (median(values), median(values))):
        yield f"{low} to {high}: the median of the climbs is {median(values):.4g}"
    if "restart" in heard.said.text or "fresh start" in heard.said.text:
        yield from _restarted(heard, arm)


def _restarted(heard: Heard, arm: str) -> Iterator[str]:
    if not next(one for one in heard.lab.arms if one.name == arm).restarted:
        yield f"{arm} ran already: no trial started it"


def _no_capacity(heard: Heard) -> Iterator[str]:
    if heard.lab.climbs(heard.key()):
        yield f"{heard['a']} has a capacity"


def _span(heard: Heard) -> Iterator[str]:
    """`Capacity: from 1,000/s (a) to 1,900/s or more (b)`."""
    for name, field, more in (("a", "v", "more1"), ("b", "high", "more2")):
        key = heard.key(name)
        yield from heard.prints(field, heard.lab.level(key, "capacity"))
        if heard.lab.is_bound(key) and not heard[more]:
            yield f"{heard[name]} has only a bound"
        if heard[more] and not heard.lab.is_bound(key):
            yield f"{heard[name]} has more than a bound"


def _spans(heard: Heard) -> Iterator[str]:
    """The capacities that were found, then the lower bounds."""
    lab = heard.lab
    every = lab.known(heard.load, heard.point, "capacity")
    bounds = [arm for arm in every if lab.is_bound((arm, heard.load, heard.point))]
    known = {arm: value for arm, value in every.items() if arm not in bounds}
    for name in ("a", "b", "a1"):
        if heard[name] and heard.arm(name) not in known:
            yield f"{heard[name]} has only a bound"
    fields = (("v", min), ("high", max)) if heard["v"] else (("v1", min),)
    for field, end in fields if known else ():
        yield from heard.prints(field, end(known.values()))
    for text, name in re.findall(
        r"([0-9.,]+/s) or more \(((?:[^(),]|\([^)]+\))+)", heard.said.text
    ):
        arm = lab.names.get(name, name)
        if arm not in bounds or not is_printed(text, every[arm]):
            yield f"{name} is no lower bound of {text}"
    counted = re.search(r"only a lower bound of (\d+) arms", heard.said.text)
    if counted and int(counted[1]) != len(bounds):
        yield f"{len(bounds)} arms have only a lower bound"


def _without(heard: Heard) -> Iterator[str]:
    """`1 of 4 have no result`, of the arms of a search or of all of them."""
    counts = []
    for load in heard.study.loads:
        if load.kind == "capacity":
            arms = list(filter(load.measures, heard.study.arms))
            lost = [a for a in arms if not heard.study.climbs((a.name, load.name, load.limits))]
            counts.append((len(lost), len(arms)))
    every = (sum(n for n, _ in counts), sum(m for _, m in counts))
    if (int(heard["n"]), int(heard["m"])) not in (*counts, every):
        yield f"without a result of all: {counts}"


def _more_arms(heard: Heard) -> Iterator[str]:
    """`The table has 5 more arms`, or results of several searches: those without a sentence."""
    loads = [load for load in heard.study.loads if load.kind == "capacity"]
    every = [arm for load in loads for arm in filter(load.measures, heard.study.rivals)]
    told = len(re.findall(r"(?: holds |: no result at |needs )", heard.said.whole))
    if heard["noun"] == "arm" and len(loads) > 1:
        yield "an arm has several searches: they are results"
    if int(heard["n"]) != len(every) - told:
        yield f"{len(every) - told} results are not told"


def _accepted(_: Heard) -> Iterator[str]:
    return iter(())


def _load(heard: Heard) -> Iterator[str]:
    """`Load: keep-alive, 10 connections, 2.00 s per trial`, or the load by its name."""
    if heard["at"] != heard.point or heard["load"] not in ("", heard.load):
        yield f"{heard['at']} is another load point"
    used = use_words(heard.at())
    if heard["use"] not in ("", used):
        yield f"connections are used otherwise: {used}"


_FROM = "from <n:n> (?:trials? each|blocks? in common)"
_CI = "[0-9.]+ % CI <low:bare> to <high:bare>"
ANSWERS = (
    Form(
        "<a:arm> served (?:<p:percent> <way:text> requests/s than|<r:ratio> the requests/s of) "
        f"<b:arm>: (?:<r2:ratio>, )?{_CI}, {_FROM}",
        _served,
        "B (1 worker) served 14 % fewer requests/s than a: 0.86×, 95 % CI 0.83 to 0.90, from 7 "
        "trials each",
    ),
    Form(
        f"No difference shown between <a:arm> and <b:arm> in requests/s: <r:ratio>, {_CI}, {_FROM}",
        _same,
        "No difference shown between b and a in requests/s: 1.00×, 95 % CI 0.97 to 1.03, from 7 "
        "trials each",
    ),
    Form(
        f"A (?:difference|(?P<side>drop)) of <p:value> or more{OR_LESS} would probably have been"
        " detected",
        detectable,
        "A difference of 0.341 % or more would probably have been detected",
    ),
    Form(
        "No result for <a:arm> compared with <b:arm>", _no_ratio, "No result for b compared with a"
    ),
    Form(
        "Load: (?:(?P<use>keep-alive.*?)|(?P<load>l\\d)), <at:point>"
        "(?: of 1 call)?(?:, 2\\.00 s per trial)?",
        _load,
        "Load: keep-alive, 10 connections, 2.00 s per trial",
    ),
    Form(
        "Under the published load: (?:<r:ratio> \\(.+\\)|no result)(?:; the published numbers gave "
        "<p:ratio>)?",
        _published,
        "Under the published load: 2.00× (1.96 to 2.04); the published numbers gave 2.21×",
    ),
    Form(
        "<a:arm> served <v:rate> \\((?:95 % CI (?:<low:value> to )?<high:rate>, from <n:n> trials"
        "|from <n2:n> trials?: too few for an interval)\\)",
        _alone,
        "a served 13,700/s (95 % CI 13,600/s to 13,800/s, from 7 trials)",
    ),
    Form(
        "(?:Of the other loads: n|N)o result: (?:nothing was measured|every trial is invalid or "
        "failed)",
        _nothing_known,
        "No result: nothing was measured",
    ),
    Form("The verdicts say why", _accepted, "The verdicts say why"),
    Form(
        "<a:arm> holds <v:bare> requests/s at .+? \\(95 % CI <low:bare> to (?:at least "
        ")?<high:bare>, <n:n> "
        "(?:restarts?|trials?)(?:; held .+)?\\)",
        _of_a_search(_holds),
        "a holds 5,000 requests/s at p99 ≤ 20 ms (95 % CI 4,900 to 5,100, 7 trials)",
    ),
    Form(
        "<a:arm> holds <v:bare> requests/s at .+? \\(<n:n> (?:restarts?|trials?): too few for an "
        "interval(?:; held .+)?\\)",
        _of_a_search(_holds),
        "a holds 5,000 requests/s at p99 ≤ 20 ms (3 trials: too few for an interval)",
    ),
    Form(
        "<a:arm> holds at least <v:bare> requests/s at .+: the search ended before the server "
        "reached its limits",
        _of_a_search(_holds),
        "a holds at least 5,000 requests/s at p99 ≤ 20 ms: the search ended before the server "
        "reached its limits",
    ),
    Form(
        "<a:arm>: no result at .+",
        _of_a_search(_no_capacity),
        "a: no result at p99 ≤ 20 ms: 41 % of the replies had status 500",
    ),
    Form(
        "Capacity(?: at .+?)?: from <v:rate>(?P<more1> or more)? \\(<a:arm>(?:, suspect)?\\) to "
        "<high:rate>(?P<more2> or more)? \\(<b:arm>(?:, suspect)?\\)",
        _of_a_search(_span),
        "Capacity at p99 ≤ 20 ms: from 1,000/s (a) to 1,900/s or more (b)",
    ),
    Form(
        "Capacity(?: at .+?)?: (?:from <v:rate> \\(<a:arm>(?:, suspect)?\\) to <high:rate> "
        "\\(<b:arm>(?:, suspect)?\\)|<v1:rate> \\(<a1:arm>(?:, suspect)?\\))?(?:(?:; |, )?"
        "[0-9.,]+/s or more \\((?:[^()]|\\([^)]+\\))+\\)|(?:; )?only a lower bound of \\d+ arms)*",
        _of_a_search(_spans),
        "Capacity at p99 ≤ 20 ms: from 1,000/s (a) to 1,900/s (b); 5,000/s or more (c)",
    ),
    Form(
        "The table has <n:n> more (?P<noun>arm|result)s?", _more_arms, "The table has 5 more arms"
    ),
    Form("<n:n> of <m:n> have no result", _without, "1 of 4 have no result"),
)

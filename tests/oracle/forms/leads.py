"""The lead of an answer: who leads, the others relative to it, and what is in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from oracle.forms.few import is_few
from oracle.forms.orders import CLEAR, alike, leads
from oracle.forms.rates import IN_TRIALS, in_trials
from oracle.forms.ratios import contains, printed, quoted
from oracle.numbers import is_printed, level, number
from oracle.raw import Lab, better
from oracle.reading import Claim, Form, Heard, sentences

_RELATIVE = re.compile(
    r"(?P<a>.+?) (?P<r>[0-9.,]+×) \((?:(?P<low>[0-9.,]+) to (?P<high>[0-9.,]+)"
    r"|\d+ trials?: too few for an interval)(?P<tied>, no difference shown)?\)"
)
_LONE = " not known (too few blocks in common)"


def metric_of(text: str) -> str:
    """The metric of a sentence."""
    return "p99" if "p99" in text else "throughput"


def ranked(lab: Lab, load: str, point: str, metric: str) -> list[str]:
    """The arms with enough trials for a rank."""
    return [
        a.name for a in lab.rivals if len(lab.values((a.name, load, point), metric)) >= lab.fewest
    ]


def _at(heard: Heard) -> Heard:
    return replace(heard, metric=metric_of(heard.said.text))


def by_p99(heard: Heard, *arms: str) -> Iterator[str]:
    """The p99 of an arm that fell behind has no meaning: then all are compared by throughput."""
    if heard.metric == "p99":
        for arm in arms or [one.name for one in heard.lab.rivals]:
            key = (arm, heard.load, heard.point)
            if heard.lab.holds(key) is False or heard.lab.is_disturbed(key):
                yield f"{arm} fell behind at {heard.point}: its p99 has no meaning"


def _pair(heard: Heard) -> Iterator[str | Claim]:
    """`B had a p99 14 % longer than that of A: 1.14×, 95 % CI 1.10 to 1.18, from 7 trials each`."""
    heard = _at(heard)
    arm, other = heard.arm("a"), heard.arm("b")
    found = heard.lab.pairs(arm, other, heard.load, heard.point, heard.metric)
    if found is None:
        yield "the two have no block in common"
        return
    yield from heard.all_named()
    yield from by_p99(heard, arm, other)
    yield from printed(heard, found)
    if int(heard["n"]) != found.n:
        yield f"{found.n} blocks have both"
    up = heard["way"] in ("more", "longer")
    if heard["way"] and (found.ratio >= 1) != up:
        yield f"{heard['way']}: the ratio is {found.ratio:.4g}"
    if "No difference" in heard.said.text:
        yield from alike(heard, arm, other)
    else:
        if not found.is_shown:
            yield f"no difference is shown: {found.ratio:.4g}×, p {found.p:.3g}"
        names = (arm, other) if better(heard.metric, found.ratio) else (other, arm)
        yield from quoted(heard, found)
        yield Claim("order", names, heard.load, heard.point, heard.metric)


def _few_pairs(heard: Heard) -> Iterator[str]:
    """`Too few trials to compare b with a by p99 (3 each): 2.10 ms and 2.20 ms`."""
    heard = _at(heard)
    arm, other = heard.arm("a"), heard.arm("b")
    yield from heard.all_named()
    yield from by_p99(heard, arm, other)
    found = heard.lab.pairs(arm, other, heard.load, heard.point, heard.metric)
    if found is None:
        yield "the two have no block in common"
    elif found.n >= heard.lab.fewest or found.n != int(heard["n"]):
        yield f"{found.n} blocks have both"
    keys = [(one, heard.load, heard.point) for one in (arm, other)]
    values = [heard.lab.values(key, heard.metric) for key in keys]
    common = values[0].keys() & values[1].keys()
    for field, each in zip(("v", "w"), values, strict=True):
        shared = [each[block] for block in common]
        yield from heard.prints(field, level(shared) if shared else None)


def _count(heard: Heard) -> Iterator[str]:
    arms = ranked(heard.lab, heard.load, heard.point, heard.metric)
    if heard["of"] and int(heard["of"]) != len(arms):
        yield f"{len(arms)} arms are ranked"
    if not heard["of"] and "ranked" not in heard.said.text and len(arms) < len(heard.lab.rivals):
        yield f"only {len(arms)} of {len(heard.lab.rivals)} arms are ranked"


def _leader(heard: Heard) -> Iterator[str | Claim]:
    """`Of the 3 ranked arms, Ay served the most requests/s: 1,340/s (95 % CI 1,320 to 1,360/s)`."""
    heard = _at(heard)
    yield from _count(heard)
    yield from heard.all_named()
    yield from by_p99(heard)
    yield from heard.prints("v", heard.lab.level(heard.key(), heard.metric))
    for other in ranked(heard.lab, heard.load, heard.point, heard.metric):
        if other != heard.arm():
            yield from leads(heard, heard.arm(), other)


def _leaders(heard: Heard) -> Iterator[str | Claim]:
    """`A or B served the most requests/s, 960 to 980/s: no difference between them is shown`."""
    heard = _at(heard)
    yield from _count(heard)
    yield from heard.all_named()
    yield from by_p99(heard)
    arms = heard.arms()
    known = heard.lab.known(heard.load, heard.point, heard.metric)
    yield from _ends(heard, [known[arm] for arm in arms if arm in known])
    for one, other in combinations(arms, 2):
        yield from alike(heard, one, other)


def _ends(heard: Heard, values: list[float]) -> Iterator[str]:
    if not values:
        return
    high = heard["high"] or heard["v"]
    unit = high.lstrip("0123456789.,")
    low = heard["v"] if heard["v"].lstrip("0123456789.,") else f"{heard['v']}{unit}"
    for text, value in ((low, min(values)), (high, max(values))):
        if not is_printed(text, value):
            yield f"{text}: the trials give {value:.6g}"


def _all_alike(heard: Heard) -> Iterator[str | Claim]:
    """`No difference in requests/s is shown between the 3 arms: 960 to 980/s`."""
    heard = _at(heard)
    arms = ranked(heard.lab, heard.load, heard.point, heard.metric)
    if int(heard["n"]) != len(arms):
        yield f"{len(arms)} arms are ranked"
    if "ranked" not in heard.said.text and len(arms) < len(heard.lab.rivals):
        yield f"only {len(arms)} of {len(heard.lab.rivals)} arms are ranked"
    yield from by_p99(heard)
    known = heard.lab.known(heard.load, heard.point, heard.metric)
    yield from _ends(heard, [known[arm] for arm in arms])
    for one, other in combinations(arms, 2):
        yield from alike(heard, one, other)


def _behind(heard: Heard) -> Iterator[str | Claim]:
    """`Relative to Ay (95 % CI): Bee 0.49× (0.25 to 0.95); Cee 0.48× (…, no difference shown)`."""
    heard = replace(heard, metric=_ranked_by(heard))
    for part in heard["list"].split("; "):
        yield from _relative(heard, part)


def _ranked_by(heard: Heard) -> str:
    whole = heard.said.whole
    before = whole[: whole.find(heard.said.text)]
    return "p99" if before.rfind("p99") > before.rfind("requests/s") else "throughput"


def _relative(heard: Heard, part: str) -> Iterator[str | Claim]:
    match = _RELATIVE.fullmatch(part)
    if part.endswith(_LONE) and part.removesuffix(_LONE) in heard.lab.names:
        arms = (heard.lab.names[part.removesuffix(_LONE)], heard.arm())
        found = heard.lab.pairs(*arms, heard.load, heard.point, heard.metric)
        if found is not None and found.n >= heard.lab.fewest:
            yield f"{part}: they have {found.n}"
        return
    if match is None or match["a"] not in heard.lab.names:
        yield f"`{part}` is no arm with a ratio"
        return
    arm, lead = heard.lab.names[match["a"]], heard.arm()
    found = heard.lab.pairs(arm, lead, heard.load, heard.point, heard.metric)
    if found is None or not is_printed(match["r"], found.ratio, 2):
        yield f"{match['r']}: the ratio is {found and found.ratio}"
        return
    if not match["low"]:
        return
    if not contains((match["low"], match["high"]), (found.low, found.high)):
        yield f"{part}: the 95 % interval is {found.low:.4g} to {found.high:.4g}"
    low, high = number(match["low"]), number(match["high"])
    if match["tied"]:
        if found.n >= heard.lab.fewest and found.p < CLEAR:
            yield f"{arm} and {lead} differ: p {found.p:.3g}"
        yield Claim("tie", (arm, lead), heard.load, heard.point, heard.metric)
    elif low <= 1 <= high:
        yield f"{part}: an order is claimed, and the printed interval holds 1"
    else:
        names = (arm, lead) if better(heard.metric, found.ratio) else (lead, arm)
        yield Claim("order", names, heard.load, heard.point, heard.metric)


def _range_behind(heard: Heard) -> Iterator[str | Claim]:
    heard = replace(heard, metric=_ranked_by(heard))
    for name in ("first", "last"):
        yield from _relative(heard, heard[name])


def _no_result(heard: Heard) -> Iterator[str]:
    known = heard.lab.known(heard.load, heard.point, "throughput")
    wrong = [arm for arm in heard.arms() if arm in known]
    if wrong:
        yield f"{wrong[0]} has a result"
    if heard["n"] and int(heard["n"]) > sum(a.name not in known for a in heard.lab.rivals):
        yield f"{len(known)} arms have a result"


def _few(heard: Heard) -> Iterator[str]:
    for arm in heard.arms():
        values = heard.lab.values((arm, heard.load, heard.point), "throughput")
        if not 0 < len(values) < heard.lab.fewest:
            yield f"{arm} has {len(values)} trials"


def _too_few(heard: Heard) -> Iterator[str]:
    """`Too few trials to rank the arms by p99 (one has only 3): from 1.2 ms, A, to 1.9 ms, B`."""
    heard = _at(heard)
    lab, metric = heard.lab, heard.metric
    yield from by_p99(heard)
    every = {a.name: lab.level((a.name, heard.load, heard.point), metric) for a in lab.rivals}
    known = {arm: value for arm, value in every.items() if value is not None}
    is_open = heard.at().kind in ("requests", "sessions")
    held = [lab.holds((arm, heard.load, heard.point)) for arm in known]
    if metric == "throughput" and is_open and all(held):
        yield f"all arms keep up with {heard.point}: that is the offered rate"
    counts = [len(lab.values((arm, heard.load, heard.point), metric)) for arm in known]
    if int(heard["n"] or heard["n2"]) != min(counts, default=0):
        yield f"an arm has {min(counts, default=0)} trials"
    if bool(heard["n"]) != (len(set(counts)) == 1):
        yield f"the arms have {', '.join(map(str, counts))} trials"
    yield from _few_ends(heard, known)
    for one, other in combinations(known, 2):
        found = lab.pairs(one, other, heard.load, heard.point, metric)
        if found is not None and found.n >= lab.fewest:
            yield f"{one} and {other} have {found.n} blocks in common"


def _few_ends(heard: Heard, known: Mapping[str, float]) -> Iterator[str]:
    """The lowest and the highest estimate, each with its arm; one number for all that are alike."""
    ends = {field: end(known.values(), default=0.0) for field, end in (("v", min), ("high", max))}
    for field, end in ends.items():
        if not is_printed(heard[field] or heard["same"], end):
            yield f"{heard[field] or heard['same']}: the trials give {end:.6g}"
    for name, field in (("a", "v"), ("b", "high")):
        if heard[name] and not is_printed(heard[field], known.get(heard.arm(name), 0.0)):
            yield f"{heard[name]} has {known.get(heard.arm(name))}"
    if heard["v"] and heard["v"] == heard["high"]:
        yield f"{heard['v']} is at both ends"
    if heard["count"] and int(heard["count"]) != len(known):
        yield f"{len(known)} arms have a result"


def _gave(heard: Heard) -> Iterator[str]:
    numbers = heard.lab.published
    one, other = (numbers.get(heard.arm(name), 0.0) for name in ("a", "b"))
    if not one or not other or not is_printed(heard["r"], one / other, 2):
        yield f"the post has {one:g} and {other:g}"


def _alone(heard: Heard) -> Iterator[str]:
    """`Ay kept up with 500/s, with a p99 of 2.10 ms (95 % CI 2.00 to 2.20 ms, from 7 trials)`."""
    key = (heard.arm(), heard.load, heard["at"])
    values = heard.lab.values(key, "p99")
    yield from heard.all_named()
    if heard["at"] != heard.point or not values:
        yield f"there is no result at {heard['at']}"
        return
    yield from heard.prints("v", heard.lab.level(key, "p99"))
    if heard.lab.holds(key) is False:
        yield f"it did not keep up with {heard['at']}"
    here = [point for point in heard.at().points if point.label == heard["at"]]
    yield from in_trials(heard, [heard.arm()], here)
    if int(heard["n"]) != len(values):
        yield f"{len(values)} trials have a result"


def _suspect(heard: Heard) -> Iterator[str]:
    """`2 of 4 results are suspect: …`: of the arms that are compared, in what is compared."""
    lab, metric = heard.lab, _ranked_by(heard)
    keys = [(arm.name, heard.load, heard.point) for arm in lab.rivals]
    known = [key for key in keys if lab.level(key, metric) is not None]
    suspect = [key for key in known if lab.is_suspect(key, metric)]
    if heard["n"] and (int(heard["n"]), int(heard["m"])) != (len(suspect), len(known)):
        yield f"{len(suspect)} of {len(known)} are suspect"
    if not heard["n"] and (not suspect or len(known) > 2):
        yield f"the {metric} of {len(suspect)} of {len(known)} arms is suspect"
    why = {doubt.text for key in suspect for one in lab.of(key) for doubt in one.doubts}
    said = re.sub(r" \(in (?:each|\d+) of \d+ trials\)$", "", heard["why"])
    if said not in why and not is_few(lab, suspect, said):
        yield f"{heard['why']}: the doubts are {', '.join(sorted(why)) or 'none'}"


def _searched(heard: Heard) -> Iterator[str]:
    """A capacity has the doubts of its search, too."""
    before = heard.said.whole[: heard.said.whole.find(heard.said.text)]
    if not any(" holds " in one for one in sentences(before)[-1:]):
        yield "no capacity stands before it"


_FROM = "from <n:n> (?:trials? each|blocks? in common)"
_CI = "[0-9.]+ % CI <low:bare> to <high:bare>"
_BEST = "(?:served the most requests/s|had the shortest p99)"
LEADS = (
    Form(
        "<a:arm> had (?:a p99 <p:percent> <way:text> than that of|<r:ratio> the p99 of) <b:arm>: "
        f"(?:<r2:ratio>, )?{_CI}, {_FROM}",
        _pair,
        "b had a p99 14 % longer than that of a: 1.14×, 95 % CI 1.10 to 1.18, from 7 trials each",
    ),
    Form(
        "Too few trials to compare <a:arm> with <b:arm> by (?:requests/s|p99) "
        r"\(<n:n> (?:each|blocks? in common)\): <v:value> and <w:value>",
        _few_pairs,
        "Too few trials to compare b with a by p99 (3 each): 2.10 ms and 2.20 ms",
    ),
    Form(
        f"No difference shown between <a:arm> and <b:arm> in p99: <r:ratio>, {_CI}, {_FROM}",
        _pair,
        "No difference shown between b and a in p99: 1.00×, 95 % CI 0.97 to 1.03, from 7 trials "
        "each",
    ),
    Form(
        rf"(?:Of the <of:n> ranked arms, )?<a:arm> {_BEST}: <v:value>(?: \(95 % CI .+\))?",
        _leader,
        "Of the 3 ranked arms, b served the most requests/s: 1,340/s (95 % CI 1,320 to 1,360/s)",
    ),
    Form(
        f"(?:Of the <of:n> ranked arms, )?(?:<a:either>|one of <n:n> arms) {_BEST}, "
        "<v:value>(?: to <high:value>)?: no difference between them is shown",
        _leaders,
        "a or b served the most requests/s, 960 to 980/s: no difference between them is shown",
    ),
    Form(
        "No difference in (?:requests/s|p99) is shown between the <n:n> (?:ranked )?arms: "
        "<v:value>(?: to <high:value>)?",
        _all_alike,
        "No difference in requests/s is shown between the 3 arms: 960 to 980/s",
    ),
    Form(
        r"Relative to <a:arm>(?: \([0-9.]+ % CI(?: or wider)?\))?: <list:text>",
        _behind,
        "Relative to a (95 % CI): b 0.49× (0.25 to 0.95)",
    ),
    Form(
        r"Relative to <a:arm>(?: \([0-9.]+ % CI(?: or wider)?\))?, <n:n> arms range from "
        "<first:named> to <last:named>",
        _range_behind,
        "Relative to a (95 % CI), 6 arms range from b 0.49× (0.25 to 0.95) to c 0.90× (0.8 to "
        "0.95)",
    ),
    Form("No result for (?:<a:arms>|<n:n> arms)", _no_result, "No result for c"),
    Form("Too few trials to rank (?:<a:arms>|<n:n> arms)", _few, "Too few trials to rank c"),
    Form(
        "Too few trials to rank the arms by (?:requests/s|p99) "
        r"\((?:<n:n> each|one has only <n2:n>)\): "
        "(?:they range from <v:value>, <a:arm>, to <high:value>, <b:arm>"
        "|all <count:n> have about <same:value>)",
        _too_few,
        "Too few trials to rank the arms by requests/s (one has only 3): they range from 1.2/s, a, "
        "to 1.9/s, b",
    ),
    Form(
        "The published numbers of <a:arm> and <b:arm> gave <r:ratio>",
        _gave,
        "The published numbers of b and a gave 2.21×",
    ),
    Form(
        rf"<a:arm> kept up with <at:point>{IN_TRIALS}, with a p99 of <v:value> "
        r"\((?:95 % CI .+?, from |from )<n:n> trials?(?:: too few for an interval)?\)",
        _alone,
        "a kept up with 1,000/s (in 4 of 5 trials), with a p99 of 2.10 ms (95 % CI 2.00 to 2.20 "
        "ms, from 5 trials)",
    ),
    Form(
        "This result is suspect: .+",
        _searched,
        "This result is suspect: the interval of the capacity is wide",
    ),
    Form(
        "(?:<n:n> of <m:n> results (?:is|are)|This result is) suspect: <why:text>",
        _suspect,
        "2 of 4 results are suspect: the load generator was late",
    ),
)

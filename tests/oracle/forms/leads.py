"""The lead of an answer: who leads, the others relative to it, and what is in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from oracle.forms.orders import CLEAR, ahead, alike
from oracle.forms.ratios import contains, printed
from oracle.numbers import is_printed, number
from oracle.raw import Lab, better
from oracle.reading import Claim, Form, Heard

_RELATIVE = re.compile(
    r"(?P<a>.+?) (?P<r>[0-9.,]+×) \((?:(?P<low>[0-9.,]+) to (?P<high>[0-9.,]+)"
    r"|too few trials for a confidence interval)(?P<tied>, no difference shown)?\)"
)


def metric_of(text: str) -> str:
    """The metric of a sentence."""
    return "p99" if "p99" in text else "throughput"


def ranked(lab: Lab, load: str, point: str, metric: str) -> list[str]:
    """The arms with enough trials for a rank."""
    return [
        a.name for a in lab.arms if len(lab.values((a.name, load, point), metric)) >= lab.fewest
    ]


def _at(heard: Heard) -> Heard:
    return replace(heard, metric=metric_of(heard.said.text))


def _pair(heard: Heard) -> Iterator[str | Claim]:
    """`B had a p99 14 % longer than that of A: 1.14×, 95 % CI 1.10 to 1.18, from 7 trials each`."""
    heard = _at(heard)
    arm, other = heard.arm("a"), heard.arm("b")
    found = heard.lab.pairs(arm, other, heard.load, heard.point, heard.metric)
    if found is None:
        yield "the two have no block in common"
        return
    yield from printed(heard, found)
    if int(heard["n"]) != found.n:
        yield f"{found.n} blocks have both"
    up = heard["way"] in ("more", "longer")
    if heard["way"] and (found.ratio >= 1) != up:
        yield f"{heard['way']}: the ratio is {found.ratio:.4g}"
    if "No difference" in heard.said.text:
        yield from alike(heard, arm, other)
    elif heard["low"]:
        if not found.is_shown:
            yield f"no difference is shown: {found.ratio:.4g}×, p {found.p:.3g}"
        names = (arm, other) if better(heard.metric, found.ratio) else (other, arm)
        yield Claim("order", names, heard.load, heard.point, heard.metric)
    elif found.n >= heard.lab.fewest:
        yield f"{found.n} pairs have an interval"


def _count(heard: Heard) -> Iterator[str]:
    arms = ranked(heard.lab, heard.load, heard.point, heard.metric)
    if heard["of"] and int(heard["of"]) != len(arms):
        yield f"{len(arms)} arms are ranked"
    if not heard["of"] and "ranked" not in heard.said.text and len(arms) < len(heard.lab.arms):
        yield f"only {len(arms)} of {len(heard.lab.arms)} arms are ranked"


def _leader(heard: Heard) -> Iterator[str | Claim]:
    """`Of the 3 ranked arms, Ay served the most requests/s: 1,340/s (95 % CI 1,320 to 1,360/s)`."""
    heard = _at(heard)
    yield from _count(heard)
    yield from heard.prints("v", heard.lab.level(heard.key(), heard.metric))
    for other in ranked(heard.lab, heard.load, heard.point, heard.metric):
        if other != heard.arm():
            yield from ahead(heard, heard.arm(), other)


def _leaders(heard: Heard) -> Iterator[str | Claim]:
    """`A or B served the most requests/s, 960 to 980/s: no difference between them is shown`."""
    heard = _at(heard)
    yield from _count(heard)
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
    if "ranked" not in heard.said.text and len(arms) < len(heard.lab.arms):
        yield f"only {len(arms)} of {len(heard.lab.arms)} arms are ranked"
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
    if heard["n"] and int(heard["n"]) > len(heard.lab.arms) - len(known):
        yield f"{len(known)} arms have a result"


def _few(heard: Heard) -> Iterator[str]:
    for arm in heard.arms():
        values = heard.lab.values((arm, heard.load, heard.point), "throughput")
        if not 0 < len(values) < heard.lab.fewest:
            yield f"{arm} has {len(values)} trials"


def _too_few(heard: Heard) -> Iterator[str]:
    """`Too few trials for an order (3 of an arm): the arms range from 1.2/s, A, to 1.9/s, B`."""
    for metric in ("throughput", "p99"):
        known = heard.lab.known(heard.load, heard.point, metric)
        if not known:
            continue
        low, high = min(known, key=lambda a: known[a]), max(known, key=lambda a: known[a])
        if is_printed(heard["v"], known[low]) and is_printed(heard["high"], known[high]):
            break
    else:
        yield f"{heard['v']} to {heard['high']} is no range of these arms"
        return
    for name, field in (("a", "v"), ("b", "high")):
        if not is_printed(heard[field], known.get(heard.arm(name), 0.0)):
            yield f"{heard[name]} has {known.get(heard.arm(name))}"
    counts = [len(heard.lab.values((arm, heard.load, heard.point), metric)) for arm in known]
    if int(heard["n"]) != min(counts):
        yield f"an arm has {min(counts)} trials"
    for one, other in combinations(known, 2):
        found = heard.lab.pairs(one, other, heard.load, heard.point, metric)
        if found is not None and found.n >= heard.lab.fewest:
            yield f"{one} and {other} have {found.n} blocks in common"


def _gave(heard: Heard) -> Iterator[str]:
    numbers = heard.lab.published
    one, other = (numbers.get(heard.arm(name), 0.0) for name in ("a", "b"))
    if not one or not other or not is_printed(heard["r"], one / other, 2):
        yield f"the post has {one:g} and {other:g}"


def _alone(heard: Heard) -> Iterator[str]:
    """`Ay kept up with 500/s, with a p99 of 2.10 ms (95 % CI 2.00 to 2.20 ms, from 7 trials)`."""
    keys = [(heard.arm(), load.name, heard["at"]) for load in heard.lab.loads]
    known = [key for key in keys if heard.lab.values(key, "p99")]
    for key in known[:1]:
        yield from heard.prints("v", heard.lab.level(key, "p99"))
        if heard.lab.holds(key) is False:
            yield f"it did not keep up with {heard['at']}"
        if int(heard["n"]) != len(heard.lab.values(key, "p99")):
            yield f"{len(heard.lab.values(key, 'p99'))} trials have a result"
    if not known:
        yield f"there is no result at {heard['at']}"


def _suspect(heard: Heard) -> Iterator[str]:
    """`2 of 4 results are suspect: …`: of the arms that are compared."""
    lab = heard.lab
    for metric in ("throughput", "p99"):
        keys = [(arm.name, heard.load, heard.point) for arm in lab.arms]
        suspect = sum(lab.is_suspect(key, metric) for key in keys)
        if suspect == int(heard["n"]):
            return
    yield f"{suspect} are suspect"


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
        "<a:arm> had (?:a p99 <p:percent> <way:text> than that of|<r:ratio> the p99 of) <b:arm>, "
        f"{_FROM}: too few for a confidence interval",
        _pair,
        "b had 2.14× the p99 of a, from 3 trials each: too few for a confidence interval",
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
        r"Too few trials for an order \(<n:n> of an arm\): the arms range from <v:value>, <a:arm>, "
        "to <high:value>, <b:arm>",
        _too_few,
        "Too few trials for an order (3 of an arm): the arms range from 1.2/s, a, to 1.9/s, b",
    ),
    Form(
        "The published numbers of <a:arm> and <b:arm> gave <r:ratio>",
        _gave,
        "The published numbers of b and a gave 2.21×",
    ),
    Form(
        r"<a:arm> kept up with <at:point>, with a p99 of <v:value> \((?:95 % CI .+?, from "
        r"|from )<n:n> trials?(?:: too few for a confidence interval)?\)",
        _alone,
        "a kept up with 1,000/s, with a p99 of 2.10 ms (95 % CI 2.00 to 2.20 ms, from 7 trials)",
    ),
    Form(
        "<n:n> of <m:n> results (?:is|are) suspect: .+",
        _suspect,
        "2 of 4 results are suspect: the load generator was late",
    ),
)

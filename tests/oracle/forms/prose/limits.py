"""The prose of a report beside its answer and its charts: limits, legends, verdicts, method."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, product

from oracle.forms.few import FEW, is_few
from oracle.made.studies import DOUBTS
from oracle.raw import Key
from oracle.reading import Form, Heard

READ_FOR = {
    "closed": ("throughput", "cpu", "memory"),
    "requests": ("p50", "p99", "cpu"),
    "sessions": ("p50", "p99", "cpu"),
    "capacity": ("p50", "p99", "errors"),
}
"""The numbers that a load is for: a doubt about one of them makes the result suspect."""
_NUMBERS = ("throughput", "p50", "p99", "errors", "cpu", "memory")


def is_known(heard: Heard, key: Key) -> bool:
    return any(one.usable for one in heard.study.of(key))


def is_suspect(heard: Heard, key: Key) -> bool:
    numbers = READ_FOR[heard.study.load(key[1]).kind]
    return any(heard.study.is_suspect(key, one) for one in numbers)


def _counts(heard: Heard, found: int, of: int) -> Iterator[str]:
    count, total = (int(heard[one].replace(",", "")) if heard[one] else 1 for one in ("n", "m"))
    if (count, total) != (found, of):
        yield f"the trials give {found} of {of}"


def _without(heard: Heard) -> Iterator[str]:
    keys = list(heard.study.cells())
    yield from _counts(heard, sum(not is_known(heard, key) for key in keys), len(keys))


def _suspects(heard: Heard) -> Iterator[str]:
    """Capacities have doubts of the search too: there may be more."""
    known = [key for key in heard.study.cells() if is_known(heard, key)]
    suspect = sum(is_suspect(heard, key) for key in known)
    if any(load.kind == "capacity" for load in heard.study.loads):
        suspect = max(suspect, int(heard["n"] or 1))
    yield from _counts(heard, suspect, len(known))


def _single(heard: Heard) -> Iterator[str]:
    keys = list(heard.study.cells())
    found = [
        key
        for key in keys
        if is_known(heard, key)
        and not is_suspect(heard, key)
        and any(heard.study.is_suspect(key, one) for one in _NUMBERS)
    ]
    if any(load.kind == "capacity" for load in heard.study.loads):
        return
    yield from _counts(heard, len(found), len(keys))


def _doubtless(heard: Heard) -> Iterator[str]:
    keys = list(heard.study.cells())
    if int(heard["n"]) != len(keys):
        yield f"there are {len(keys)} cells"
    for key in keys:
        if not is_known(heard, key) or any(heard.study.is_suspect(key, one) for one in _NUMBERS):
            yield f"there is a doubt about {', '.join(key)}"


def _blocks(heard: Heard) -> Iterator[str]:
    """A block is whole if every cell has a trial in it."""
    lab = heard.study
    whole = sum(
        all(any(one.block == block for one in lab.of(key)) for key in lab.cells())
        for block in range(lab.blocks)
    )
    said = 0 if "no block" in heard.said.text or "nothing" in heard.said.text else int(heard["n"])
    if said != whole or (heard["m"] and int(heard["m"]) != lab.blocks):
        yield f"{whole} of {lab.blocks} blocks are whole"


def _restarts(heard: Heard) -> Iterator[str]:
    running = [arm for arm in heard.study.arms if not arm.restarted]
    if heard["a"]:
        said = set(heard["a"].split(", "))
        if said != {arm.name for arm in running}:
            yield f"{', '.join(arm.name for arm in running) or 'no server'} ran already"
    elif "starts its server anew" in heard.said.text and running:
        yield f"{running[0].name} ran already"
    elif "ran already" in heard.said.text and len(running) != len(heard.study.arms):
        yield "some servers are started anew"


def _ran(heard: Heard) -> Iterator[str]:
    arms = {arm.name: arm for arm in heard.study.arms}
    wrong = [one for one in heard["a"].split(", ") if one not in arms or arms[one].restarted]
    if wrong:
        yield f"{wrong[0]} is started anew"
    if (", " in heard["a"]) != ("they were" in heard.said.text):
        yield "one server is spoken of as several, or several as one"


def _adjusted(heard: Heard) -> Iterator[str]:
    """Bars are wider than at 95 % only where several comparisons of one metric were judged."""
    counts = dict.fromkeys(("throughput", "p99", "cpu", "capacity"), 0)
    for _, metric, found in heard.study.pairs_of(*counts):
        counts[metric] += found.n >= heard.study.fewest
    if max(counts.values()) < 2:
        yield "nothing was adjusted: there are no two comparisons of one metric"


def _together(heard: Heard) -> Iterator[str]:
    """Two decisions or more: of any metrics, and of pairs of arms for their ranks."""
    lab, count = heard.study, 0
    for load in lab.loads:
        for part, point in product(lab.parts[load.name], load.points):
            for one, other in combinations(part.arms, 2):
                for metric in ("throughput", "cpu", "capacity"):
                    found = lab.pairs(one.name, other.name, load.name, point.label, metric)
                    count += bool(found and found.n >= lab.fewest)
    if count < 2:
        yield f"there are {count} decisions"


def _below(heard: Heard) -> Iterator[str]:
    """`An arm below it is past its capacity`, of the line of all that was offered."""
    for key in heard.study.cells():
        point = next(one for one in heard.study.load(key[1]).points if one.label == key[2])
        level = heard.study.level(key, "throughput")
        if point.rate and level and level < point.rate * 0.999 and heard.study.holds(key):
            yield f"{key[0]} is below it at {point.label}, and answered all that fell due"


def _no_failure(heard: Heard) -> Iterator[str]:
    for key in heard.study.cells():
        if heard.study.load(key[1]).kind == "capacity" or not is_known(heard, key):
            continue
        failed = [one.failed for one in heard.study.of(key)]
        if any(failed):
            yield f"{sum(failed)} requests failed in {', '.join(key)}"


def _sharing(heard: Heard) -> Iterator[str]:
    for arm in heard["a"].split(", "):
        doubts = {
            d.code
            for k in heard.study.cells()
            if k[0] == arm
            for t in heard.study.of(k)
            for d in t.doubts
        }
        if "shared_cores" not in doubts:
            yield f"{arm} had cores of its own"


def _shared(heard: Heard) -> Iterator[str]:
    yield "with shared cores a rate is lower, but a time is higher"


def count_cells(heard: Heard) -> Iterator[str]:
    """There is something to list."""
    keys = [key for key in heard.study.cells() if heard.study.of(key)]
    doubted = any(heard.study.is_suspect(key, one) for key in keys for one in _NUMBERS)
    capacity = any(load.kind == "capacity" for load in heard.study.loads)
    if not doubted and not capacity and all(is_known(heard, key) for key in keys):
        yield "there is no reason"


def _control(heard: Heard) -> Iterator[str]:
    controls = [arm.control_of for arm in heard.study.arms if arm.control_of]
    if heard["a"] not in controls:
        yield f"{heard['a']} has no control"


def _with_itself(heard: Heard) -> Iterator[str]:
    """Of the metrics and load points that its baseline and the control have in common."""
    controls = {arm.name for arm in heard.study.arms if arm.control_of}
    metrics = ("throughput", "p99", "cpu", "capacity")
    every = [one for one in heard.study.pairs_of(*metrics) if one[0][0] in controls]
    decided = [one for one in every if one[2].n >= heard.study.fewest]
    shown = [one for one in decided if one[2].is_shown]
    if int(heard["n"]) > len(shown) or int(heard["m"]) > len(decided):
        yield f"{len(shown)} of {len(decided)} may be shown to differ"


def _recorded(heard: Heard) -> Iterator[str]:
    """A trial has this reason, or it is one of a search."""
    lab, why = heard.study, heard["why"].lower()
    doubts = {d.text.lower() for each in lab.trials.values() for t in each for d in t.doubts}
    searches = any(load.kind == "capacity" for load in lab.loads)
    is_own = why.startswith("the interval of the capacity") and searches
    is_none = why == "no reason was recorded" and not all(map(lab.of, lab.cells()))
    is_of_cell = is_few(lab, lab.cells(), heard["why"])
    if why not in doubts and not is_own and not is_none and not is_of_cell:
        yield f"no trial has the doubt: {heard['why']}"


def fine(_: Heard) -> Iterator[str]:
    return iter(())


def _some_in_common(heard: Heard) -> Iterator[str]:
    lab = heard.study
    if any(map(lab.is_bound, lab.cells())):
        return  # a start that the search ended has no capacity to compare
    for load in lab.loads:
        for part, point in product(lab.parts[load.name], load.points):
            at = (load.name, point.label)
            for metric, arm in product(("throughput", "p99", "capacity"), part.arms):
                base = lab.values((part.baseline, *at), metric)
                if lab.values((arm.name, *at), metric).keys() != base.keys():
                    return
    yield "both arms have results in the same blocks"


def fixed(*texts: str) -> tuple[Form, ...]:
    """Sentences that explain, and claim nothing about results."""
    return tuple(Form(re.escape(text), fine, text) for text in texts)


_REASONS = "|".join(
    [
        *(re.escape(f"{one.text[:1].upper()}{one.text[1:]}") for one in DOUBTS),
        "No reason was recorded",
        "The interval of the capacity is wide: .+",
        f"(?:{re.sub('[(][?]P<[a-z]+>', '(?:', FEW)})",
    ]
)
"""The reasons that the made studies invent, and those of a search."""
LIMITS = (
    Form(
        "(?:<n:n> of <m:n> cells|The only cell) (?:has|have) no result",
        _without,
        "1 of 4 cells has no result",
    ),
    Form(
        "(?:<n:n> of <m:n> results|The only result) (?:is|are) suspect",
        _suspects,
        "1 of 4 results is suspect",
    ),
    Form(
        "(?:<n:n> of <m:n> cells|The only cell) (?:is|are) valid except for single numbers, marked "
        "\\?",
        _single,
        "1 of 4 cells is valid except for single numbers, marked ?",
    ),
    Form(
        "Not finished: (?:<n:n> of <m:n> blocks (?:was|were) measured|no block was measured "
        "whole|nothing was measured)",
        _blocks,
        "Not finished: 3 of 7 blocks were measured",
    ),
    Form("Resume it with `.+`", fine, "Resume it with `httpdyno run made.toml --resume`"),
    Form(
        "<a:text>: already running, so (?:it was|they were) not restarted between trials",
        _ran,
        "jay: already running, so it was not restarted between trials",
    ),
    Form(
        "<a:text>: the server and the load generator shared CPU cores, so these numbers are lower "
        "than with a core reserved for the generator",
        _shared,
        "a: the server and the load generator shared CPU cores, so these numbers are lower than "
        "with a core reserved for the generator",
    ),
    Form(
        "Started .+ UTC, (?:took .+|the last stored trial ended .+ later): <n:n> of <m:n> blocks, "
        "seed \\d+, httpdyno .+",
        _blocks,
        "Started 2026-09-21 14:13 UTC, took 5 min: 7 of 7 blocks, seed 3, httpdyno 0.1.0",
    ),
    Form("No doubt about any of <n:n> cells?", _doubtless, "No doubt about any of 4 cells"),
    Form("Every trial starts its server anew", _restarts, "Every trial starts its server anew"),
    Form(
        "Every trial starts its server anew, except for servers that ran already: <a:text>",
        _restarts,
        "Every trial starts its server anew, except for servers that ran already: jay",
    ),
    Form(
        "(?:The server|The servers) ran already; no trial restarts a server",
        _restarts,
        "The servers ran already; no trial restarts a server",
    ),
    Form(
        "A ratio leaves out blocks in which one of the two arms has no result",
        _some_in_common,
        "A ratio leaves out blocks in which one of the two arms has no result",
    ),
    Form(
        "In parentheses is the 95 % confidence interval \\(CI\\)(?:; of a ratio it is the .+ CI, "
        "because <n:n> comparisons were judged together)?",
        fine,
        "In parentheses is the 95 % confidence interval (CI)",
    ),
    Form(
        "No request failed in any cell with a result",
        _no_failure,
        "No request failed in any cell with a result",
    ),
    Form("No request failed under these loads", _no_failure, "No request failed under these loads"),
    Form("An arm below it is past its capacity", _below, "An arm below it is past its capacity"),
    Form(
        ".*their bars are wider than at 95 %, so that at most 1 study in 20 shows a difference in "
        "a metric that is not there",
        _adjusted,
        "Several comparisons are judged together: their bars are wider than at 95 %, so that at "
        "most 1 study in 20 shows a difference in a metric that is not there",
    ),
    Form(
        "<n:n> decisions about differences between arms were made together \\(Holm\\): at most 1 "
        "report in 20 claims a difference that is not there",
        _together,
        "6 decisions about differences between arms were made together (Holm): at most 1 report in "
        "20 claims a difference that is not there",
    ),
    Form(
        "<a:text>: the server and the load generator shared CPU cores",
        _sharing,
        "a: the server and the load generator shared CPU cores",
    ),
    *fixed(
        "With a core reserved for the generator, throughput may be higher and times lower",
        "Each interval of a ratio is a 95 % CI or wider, at the level of its decision",
        "Its intervals show how much repetitions differ, but not how much restarts of the server "
        "would: the true uncertainty may be larger",
        "Their intervals show how much repetitions differ, but not how much restarts of the "
        "servers would: the true uncertainty may be larger",
        "It was not pinned to its own CPUs",
        "They were not pinned to CPUs of their own",
        "Their CPU time and memory are those of the processes that listen at their addresses; they "
        "are left out if a process cannot be seen",
        "Its CPU time and memory are those of the process that listens at its address; they are "
        "left out if that process cannot be seen",
        "Each interval is a 95 % CI on its own: about 1 in 20 misses the true value",
        "A capacity is the median over restarts; a ratio of capacities is the geometric mean of "
        "the ratios within blocks",
        "A rank such as “2 to 4” means that the trials do not tell which of these places the arm "
        "has",
        "Requests per second, with the 95 % CI below",
        "Published numbers are from another machine: do not compare them with the rest. `?` marks "
        "a suspect number; the verdicts below say why, and why a number is missing",
        "closed loop: each connection or stream waits for its reply before it sends the next "
        "request, so a slow server receives fewer requests",
        "open loop: requests are due at a given rate, however slow the server is",
        "open loop: connections are opened at a given rate, however slow the server is",
    ),
    Form("Command: `.+`", fine, "Command: `httpdyno run made.toml`"),
    Form("l\\d; .+:|l\\d \\(open loop: .+\\):", fine, "l0; 10 connections:"),
    Form(
        "(?:about .+ per trial, the published size; httpdyno would choose more; )?(?:\\d+ "
        "trials?: too few for an interval|a number without small print has too few trials for an "
        "interval):?|about .+ per trial, the published size; httpdyno would choose more",
        fine,
        "3 trials: too few for an interval",
    ),
    Form(
        "A/A control: (?P<a>.+) was measured twice, under two names",
        _control,
        "A/A control: a was measured twice, under two names",
    ),
    Form(
        "<n:n> of <m:n> comparisons? with itself showed a difference; at most 1 study in 20 shows "
        "one by chance",
        _with_itself,
        "0 of 2 comparisons with itself showed a difference; at most 1 study in 20 shows one by "
        "chance",
    ),
    Form(
        f"(?P<why>{_REASONS})(?: \\(in (?:each|\\d+) of \\d+ trials\\))?",
        _recorded,
        "Overload: less achieved than offered (in each of 5 trials)",
    ),
)

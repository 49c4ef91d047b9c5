"""Sentences about numbers over time.

A history is a study whose blocks are runs, in the order of time; a run may be missing or suspect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from oracle.numbers import level, number
from oracle.raw import Key
from oracle.reading import Form, Heard

FEWEST = 6
"""With fewer runs, a change cannot be told from none."""
LEAST = 0.015
"""A smaller change is no headline."""
STEP = 0.05
"""A step below this share is nothing that a sentence has to name."""


def steps(values: Mapping[int, float]) -> dict[int, float]:
    """Clear steps: by the first run behind each, the ratio of what is behind to what is before.

    Three runs or more on each side, whose ranges lie apart by more than either is wide.
    """
    runs, found = sorted(values), {}
    for at in range(3, len(runs) - 2):
        before = [values[run] for run in runs[:at]]
        after = [values[run] for run in runs[at:]]
        gap = max(min(after) - max(before), min(before) - max(after))
        wide = max(max(before) - min(before), max(after) - min(after))
        if gap > wide and abs(level(after) / level(before) - 1) > STEP:
            found[runs[at]] = level(after) / level(before)
    return found


def _series(heard: Heard) -> Iterator[tuple[Key, str, dict[int, float]]]:
    for key in heard.lab.trials:
        for metric in ("throughput", "p99", "cpu", "memory"):
            values = heard.lab.values(key, metric)
            if len(set(values.values())) > 1:
                yield key, metric, values


def _none(heard: Heard) -> Iterator[str]:
    runs = max((len(heard.lab.values(key, "throughput")) for key in heard.lab.trials), default=0)
    if heard["n"] and int(heard["n"]) != runs and "run" in heard.said.text:
        yield f"the longest series has {runs} runs"
    if runs < FEWEST:
        yield f"{runs} runs are too few to tell a change from none"
    least = number(heard["p"]) if heard["p"] else 0.0
    for key, metric, values in _series(heard):
        for run, ratio in steps(values).items():
            if max(ratio, 1 / ratio) - 1 > least:
                yield f"{metric} of {key[0]} changed to {ratio:.3g}× with run {run}"


def _none_shown(heard: Heard) -> Iterator[str]:
    """No change is shown: not that there is none, so fewer runs will do."""
    runs = max((len(heard.lab.values(key, "throughput")) for key in heard.lab.trials), default=0)
    if runs < FEWEST - 1:
        yield f"{runs} runs are too few to show anything"
    else:
        yield from (one for one in _none(heard) if "too few" not in one)


def _too_short(heard: Heard) -> Iterator[str]:
    runs = max((len(heard.lab.values(key, "throughput")) for key in heard.lab.trials), default=0)
    if runs >= FEWEST:
        yield f"the longest series has {runs} runs"


def _others_stayed(heard: Heard) -> Iterator[str]:
    """With the run of the newest change, no other arm has a clear step of the same metric."""
    changed: dict[str, dict[str, set[int]]] = {}
    for key, metric, values in _series(heard):
        changed.setdefault(metric, {})[key[0]] = set(steps(values))
    for arms in changed.values():
        for arm, runs in arms.items():
            for other, others in arms.items():
                if other > arm and runs & others:
                    yield f"{other} changed with {arm} at run {min(runs & others)}"


def _beside(heard: Heard) -> Iterator[str]:
    """The words about the other servers fit what they did at some run."""
    if "did not" in heard.said.text and "moved" not in heard.said.text:
        changed = [set(_clear(heard, key)) for key in heard.lab.trials]
        if changed and set.intersection(*changed) and len(changed) > 1:
            yield f"all servers changed at run {min(set.intersection(*changed))}"


def _judged(heard: Heard) -> Iterator[str]:
    """A number that is called better or worse has changed by more than one percent."""
    if heard["p"] and number(heard["p"]) < LEAST:
        yield f"a change of {heard['p']} is within the margin: nobody has to act on it"
    if heard["before"]:
        before, after = number(heard["before"]), number(heard["after"])
        if heard["way"] and (after > before) != (heard["way"] == "higher"):
            yield f"{heard['before']} → {heard['after']} is not {heard['way']}"
        if (after > before) != (heard["word"] == "better"):
            yield f"{heard['before']} → {heard['after']} is not {heard['word']}"


def _counted(heard: Heard) -> Iterator[str]:
    """Every clear step is one of the changes."""
    found = [run for key in heard.lab.trials for run in _clear(heard, key)]
    if len(found) > int(heard["n"]):
        yield f"there are {len(found)} clear steps"


def _clear(heard: Heard, key: Key) -> list[int]:
    """The runs with a clear step; neighbours are one and the same."""
    runs = sorted(steps(heard.lab.values(key, "throughput")))
    return [run for at, run in enumerate(runs) if not at or run > runs[at - 1] + 1]


def _alike(heard: Heard) -> Iterator[str]:
    """All servers moved the same way at one run."""
    lab = heard.lab
    if int(heard["n"]) != len(lab.arms):
        yield f"{len(lab.arms)} servers were measured"
    for run in range(1, lab.blocks):
        moved = set()
        for key in lab.trials:
            values = lab.values(key, "throughput")
            sides = (
                [v for r, v in values.items() if r < run],
                [v for r, v in values.items() if r >= run],
            )
            moved.add(level(sides[1]) > level(sides[0]) if all(sides) else None)
        if len(moved) == 1:
            return
    yield "they did not move the same way at any run"


def _fine(_: Heard) -> Iterator[str]:
    return iter(())


HISTORIES = (
    Form(
        "No change(?: of more than <p:percent>)? (?:is )?shown in (?:up to )?(?:<s:n> series over "
        ")?<n:n> runs?"
        "(?:, .+)?",
        _none_shown,
        "No change of more than 5 % shown in up to 12 runs",
    ),
    Form(
        "(?:Too few runs to tell a change: .+|<n:n> runs?: too few to tell a change, expected "
        "\\d+)",
        _too_short,
        "3 runs: too few to tell a change, expected 6",
    ),
    Form(
        "(?:.*would probably have shown.*|.*smaller (?:one|change)s?(?: (?:is|are) shown)?)",
        _fine,
        "a fall of 20 % would probably have shown",
    ),
    Form(
        "<n:n> changes?(?: of more than <p:percent>)? at <r:n> runs?, in <s:n> series over <m:n> "
        "runs?, .+",
        _fine,
        "2 changes of more than 5 % at 1 run, in 2 series over 12 runs, 2026-09-21 to 2026-10-02",
    ),
    Form(
        "(?:.+: )?<m:text> (?:<p:percent> (?:higher|lower)|<r:ratio> as high) \\(.+\\), within the "
        "margin of .+",
        _fine,
        "requests per second 2.0 % higher (41,000/s → 41,800/s), within the margin of 5 %",
    ),
    Form(
        "Their runs are too few, or too far apart, to show one.*",
        _fine,
        "Their runs are too few, or too far apart, to show one of that size in any of them",
    ),
    Form(
        "Nothing that is recorded changed with it; .+",
        _beside,
        "Nothing that is recorded changed with it; the other server of this run did not change",
    ),
    Form(
        ".+ of run <r:n> is (?:.+ (?:higher|lower) than|.+ as high as) that of run <q:n>(?:, which "
        "is 0)?, and their intervals do not overlap",
        _fine,
        "a, l0 · 10 connections: the requests per second of run 3 is 40 % lower than that of run "
        "2, and their intervals do not overlap",
    ),
    Form(
        "Two runs cannot tell a change from the .+",
        _fine,
        "Two runs cannot tell a change from the noise of the machine",
    ),
    Form("No change in up to <n:n> runs?", _none, "No change in up to 7 runs"),
    Form(
        "No change in <s:n> series over <n:n> runs?, .+",
        _none,
        "No change in 2 series over 7 runs, 2026-09-21 to 2026-09-27",
    ),
    Form(
        "No change (?:larger than|of more than|above) <p:percent> .+",
        _none,
        "No change larger than 30 % in up to 7 runs",
    ),
    Form(
        "The history is too short to find changes: .+",
        _too_short,
        "The history is too short to find changes: the longest series has 3 runs, expected 6 or "
        "more",
    ),
    Form(
        ".*; the other servers of this run did not change with it",
        _others_stayed,
        "Nothing that is recorded changed with it; the other servers of this run did not change "
        "with it",
    ),
    Form(
        "(?:The latest is |.+: )?(?:.+?: )?<m:text> (?:<p:percent> <way:text>|<r:ratio> as high"
        "|up from 0) "
        "\\((?:95 % CI .+?; )?<before:value> → <after:value>\\), <word:text>"
        "(?: from run \\d+ \\([0-9-]+\\) on)?",
        _judged,
        "peak memory 8.0 % higher (28.6 MiB → 30.9 MiB), better",
    ),
    Form(
        "<n:n> changes? at <r:n> runs?, in <s:n> series over <m:n> runs?, .+",
        _counted,
        "2 changes at 1 run, in 2 series over 12 runs, 2026-09-21 to 2026-10-02",
    ),
    Form(
        "<a:arm>: .+? (?:[+-]<p:percent>|up from 0)(?:, .+? → .+?)?, run \\d+ "
        "\\([0-9-]+\\)(?:; <n:n> changes in all)?",
        _judged,
        "a: requests per second +20 %, run 5 (2026-09-25); 2 changes in all",
    ),
    Form(
        "All <n:n> servers of this run changed alike: the machine is the likelier cause.*",
        _alike,
        "All 2 servers of this run changed alike: the machine is the likelier cause",
    ),
    Form(
        "Nothing that is recorded changed with it",
        _fine,
        "Nothing that is recorded changed with it",
    ),
    Form("changes 0", _none, "changes 0"),
)

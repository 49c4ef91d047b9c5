"""Sentences that only the page has: its small print, the verdicts and their lists of cells."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.forms.few import is_few
from oracle.forms.prose.limits import fine, fixed, is_known, is_suspect
from oracle.reading import Form, Heard


def _all_valid(heard: Heard) -> Iterator[str]:
    keys = list(heard.study.cells())
    if int(heard["n"] or 1) != len(keys):
        yield f"there are {len(keys)} cells"
    for key in keys:
        if not is_known(heard, key) or is_suspect(heard, key):
            yield f"{', '.join(key)} is not valid"


def _listed(heard: Heard) -> Iterator[str]:
    """`ay/1-worker l2, 8.00/s overload: less achieved than offered`, beneath a verdict."""
    key = (heard.arm(), heard["load"], heard["at"])
    trials = [one for one in heard.study.of(key) if heard["n"] in ("", str(one.block + 1))]
    doubts = {doubt.text for one in trials for doubt in one.doubts}
    if heard.study.load(key[1]).kind == "capacity":
        return  # a search has doubts of its own
    if not heard["n"] and is_few(heard.study, [key], heard["why"]):
        return
    if not heard["n"] and not heard["why"] and heard.study.few_connections(key):
        return
    if heard.study.of(key) and not doubts:
        yield f"no trial of {', '.join(key)} is in doubt"
    if heard["why"] and doubts and heard["why"] not in doubts:
        yield f"{heard['why']}: the doubts are {', '.join(sorted(doubts))}"


def _more_connections(heard: Heard) -> Iterator[str]:
    """Twice those of a closed load whose throughput is not the most that its arm can do."""
    lab = heard.study
    few = [key[2] for key in lab.cells() if lab.few_connections(key)]
    if all(int(heard["more"]) != 2 * int(point.split()[0]) for point in few):
        yield f"half of {heard['more']} connections are enough, or were not used"


PAGES = (
    Form("(?:All <n:n> cells are|The only cell is) valid", _all_valid, "All 4 cells are valid"),
    Form(
        "<a:arm> (?P<load>l\\d), <at:point>(?:, block <n:n>)?(?: (?P<why>[^,]+?|no more than .+)"
        "(?: \\(in (?:each|\\d+) of \\d+ trials\\))?)?",
        _listed,
        "a l0, 1,000/s overload: less achieved than offered (in each of 6 trials)",
    ),
    Form(
        "The small print is the 95 % confidence interval \\(CI\\)(?:; of a ratio it is the .+ CI, "
        "because <n:n> comparisons were judged together)?",
        fine,
        "The small print is the 95 % confidence interval (CI)",
    ),
    Form(
        r"What to do: allow more connections \(connections = (?P<more>\d+)\)",
        _more_connections,
        "What to do: allow more connections (connections = 20)",
    ),
    Form("Resume it with httpdyno run .+", fine, "Resume it with httpdyno run made.toml --resume"),
    *fixed(
        "Valid: no reason to doubt it",
        "Suspect: shown, with a doubt about a number that the load is for: throughput, CPU and "
        "memory in a closed loop; response time and CPU in an open one",
        "Invalid: not shown, because it would mislead",
        "A reason names the numbers that it casts doubt on; they are marked ? in the tables and "
        "hollow in the charts",
        "What to do: look at it",
        "See why",
        "An arm is one server, run in one way (its deployment), with one workload",
        "A cell is one arm under one load, and a block measures each cell once",
        "Every measurement is checked before it is shown",
        "Each doubt is listed once, with the cells that it applies to",
        "A number marked ? is suspect; the mark leads to the reason",
    ),
)

"""Titles of a replay: who answers most in the post, under its load here, and without its faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oracle.forms.orders import CLEAR
from oracle.raw import Arm, Load
from oracle.reading import Form, Heard

ALIKE = 0.02


def _known(heard: Heard, at: tuple[str, str]) -> set[str]:
    """The arms with a result here; an A/A control is none of the post's."""
    known = heard.lab.known(*at, "throughput")
    return {arm.name for arm in _arms(heard, at) if arm.name in known}


def _arms(heard: Heard, at: tuple[str, str]) -> Sequence[Arm]:
    return heard.lab.measured(at[0]).rivals


def _loads(heard: Heard, *, published: bool) -> list[Load]:
    return [one for one in heard.lab.loads if one.published == published and one.kind == "closed"]


def _leads(heard: Heard, arm: str, loads: list[Load]) -> Iterator[str]:
    """The arm is shown to answer most at a point of one of these loads."""
    worst: list[str] = []
    for load in loads:
        for point in load.points:
            known = heard.lab.known(load.name, point.label, "throughput")
            found = list(_ahead_of_all(heard, arm, known, (load.name, point.label)))
            if not found:
                return
            worst = worst or found
    yield from worst[:1] or [f"{arm} has no result"]


def _ahead_of_all(
    heard: Heard, arm: str, known: dict[str, float], at: tuple[str, str]
) -> Iterator[str]:
    for other in (one.name for one in heard.lab.rivals):
        if other == arm:
            continue
        if other not in known:
            yield f"nothing is known of {other}"
            continue
        found = heard.lab.pairs(arm, other, *at, "throughput")
        if found is None or not found.is_shown or found.ratio < 1:
            sure = (
                "" if found is None else f" ({found.ratio:.4g}×, {found.n} blocks, p {found.p:.3g})"
            )
            yield f"{arm} is not shown to answer more than {other} at {', '.join(at)}{sure}"


def _first_in_post(heard: Heard, arm: str) -> Iterator[str]:
    numbers = heard.lab.published
    most = max(numbers.values(), default=0.0)
    first = [one for one, value in numbers.items() if value == most]
    if not most:
        yield "the post shows no number"
    elif first != [arm]:
        yield f"in the post {', '.join(first)} {'are equal' if len(first) > 1 else 'is first'}"


def _here(heard: Heard) -> Iterator[str]:
    """`A answers the most requests here, as in the post`."""
    every = [*_loads(heard, published=True), *_loads(heard, published=False)]
    yield from _leads(heard, heard.arm(), every)
    if "as in the post" in heard.said.text:
        yield from _first_in_post(heard, heard.arm())
    if heard["b"]:
        yield from _first_in_post(heard, heard.arm("b"))


def _in_post(heard: Heard) -> Iterator[str]:
    yield from _first_in_post(heard, heard.arm())
    if "here under its load" in heard.said.text:
        yield from _leads(heard, heard.arm(), _loads(heard, published=True))


def _under_both(heard: Heard) -> Iterator[str]:
    for name, published in (("a", True), ("b", False)):
        if heard[name]:
            yield from _leads(heard, heard.arm(name), _loads(heard, published=published))


def _only(heard: Heard) -> Iterator[str]:
    known = {
        arm
        for load in heard.lab.loads
        for p in load.points
        for arm in _known(heard, (load.name, p.label))
    }
    if known != {heard.arm()}:
        yield f"{', '.join(sorted(known))} have results"


def _nothing(heard: Heard) -> Iterator[str]:
    if any(heard.lab.values(key, "throughput") for key in heard.lab.cells()):
        yield "there are results"


def _highest(heard: Heard) -> Iterator[str]:
    """`In the post, a and b share the highest number`."""
    numbers = heard.lab.published
    most = max(numbers.values(), default=0.0)
    first = sorted(one for one, value in numbers.items() if value == most)
    named = sorted(heard.arms())
    if not most or (named or int(heard["n"])) != (first if named else len(first)):
        yield f"the highest number is {most:g}, of {', '.join(first)}"


def _column(heard: Heard) -> list[Load]:
    """The load of a column: that of the post, or a corrected one by its title."""
    if "under its load" in heard.said.text.lower():
        return _loads(heard, published=True)
    every = [one for one in heard.lab.loads if not one.published]
    return [one for one in every if one.title.lower() == heard["title"].lower()] or every


def _points(heard: Heard) -> Iterator[tuple[str, str]]:
    for load in _column(heard):
        for point in load.points:
            yield load.name, point.label


def _best_differ(heard: Heard) -> Iterator[str]:
    """Each arm has its highest throughput somewhere; these places are not all one."""
    points = list(_points(heard))
    best = set()
    for arm in heard.lab.rivals:
        levels = {at: heard.lab.level((arm.name, *at), "throughput") or 0.0 for at in points}
        most = max(levels.values(), default=0.0)
        best |= {at for at, value in levels.items() if value > 0 and value > most * (1 - 1e-9)}
    if len(best) < 2:
        yield "all arms have their highest throughput at one load point"


def _columns_first(heard: Heard) -> Iterator[str]:
    """`under its load here, of 3 ranked arms, a or b answers most`, at some point of the load."""
    worst: list[str] = []
    for at in _points(heard):
        found = list(_shown_first(heard, at))
        if not found:
            return
        worst = worst or found
    yield from worst or ["there is no such load"]


def _shown_first(heard: Heard, at: tuple[str, str]) -> Iterator[str]:
    lab = heard.lab
    values = {a.name: lab.values((a.name, *at), "throughput") for a in _arms(heard, at)}
    ranked = [arm for arm, each in values.items() if len(each) >= heard.lab.fewest]
    first = heard.arms() or heard.arms("a2")
    if not heard["of"] and len(ranked) < len(values):
        yield f"{len(ranked)} of {len(values)} arms are ranked"
    if heard["of"] and int(heard["of"]) != len(ranked):
        yield f"{len(ranked)} arms are ranked"
    for other in ranked:
        beaten = [lab.pairs(one, other, *at, "throughput") for one in (first or ranked)]
        shown = any(one and one.is_shown and one.ratio > 1 for one in beaten)
        if other not in first and len(first) == 1 and not shown:
            yield f"{first[0]} is not shown to answer more than {other} at {', '.join(at)}"


def _nobody_first(heard: Heard) -> Iterator[str]:
    for at in _points(heard):
        known = heard.lab.known(*at, "throughput")
        ahead = [one for one in known if not list(_ahead_clearly(heard, one, at))]
        if not ahead or len(known) < 2:
            return
    yield "an arm is clearly ahead of all others"


def _ahead_clearly(heard: Heard, arm: str, at: tuple[str, str]) -> Iterator[str]:
    for other in heard.lab.rivals:
        found = heard.lab.pairs(arm, other.name, *at, "throughput")
        if other.name != arm and (
            found is None or found.n < heard.lab.fewest or found.p > CLEAR or found.ratio < 1
        ):
            yield other.name


def _only_one(heard: Heard) -> Iterator[str]:
    wanted = {heard.arm()} if heard["a"] else set()
    for at in _points(heard):
        if _known(heard, at) == wanted:
            return
    yield f"{sorted(heard.lab.known(*at, 'throughput'))} have results"


_POST = "(?:, (?:as in the post|in the post <b:arm>))?"
_ONE = ("replay",)
_HERE = "(?:[Uu]nder its load here|[Cc]orrected \\(<title:text>\\)), "
REPLAYS = (
    Form(
        "In the post, (?:<a:arms> (?:has|share)|<n:n> arms share) the highest number",
        _highest,
        "In the post, a and b share the highest number",
        _ONE,
    ),
    Form(
        f"{_HERE}(?:of <of:n> ranked arms, )?(?:<a:arm>|<a2:either>|one of <n:n> arms) answers "
        "most",
        _columns_first,
        "under its load here, of 3 ranked arms, a or b answers most",
        _ONE,
    ),
    Form(
        f"{_HERE}no arm is shown to answer most",
        _nobody_first,
        "corrected (l1), no arm is shown to answer most",
        _ONE,
    ),
    Form(
        f"{_HERE}(?:only <a:arm> has a result|no result)",
        _only_one,
        "corrected (l1), only a has a result",
        _ONE,
    ),
    Form(
        f"{_HERE}the arms are not ranked, each at its best load point",
        _best_differ,
        "corrected (l1), the arms are not ranked, each at its best load point",
        _ONE,
    ),
    Form("Only <a:arm> has a result here", _only, "Only a has a result here", _ONE),
    Form(
        f"<a:arm> answers the most requests here{_POST}",
        _here,
        "a answers the most requests here, in the post b",
        _ONE,
    ),
    Form(
        "In the post, <a:arm> answers the most requests",
        _in_post,
        "In the post, a answers the most requests",
        _ONE,
    ),
    Form(
        "(?:here it is (?:<a:arm>|<n:n> arms alike) under the load of the post, and|it is) "
        "(?:<b:arm>|<m:n> arms alike) without the faults of that load",
        _under_both,
        "here it is a under the load of the post, and b without the faults of that load",
        _ONE,
    ),
    Form("Published and measured", _nothing, "Published and measured", _ONE),
)

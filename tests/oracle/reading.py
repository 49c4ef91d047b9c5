"""Reads sentences back: a sentence has a known form, and its rule holds it against the raw trials.

A row of a table is a `Form`: a pattern, a rule and an example. The pattern has fields in angle
brackets, `<a:arm> answers most, <v:value>`; the rule yields objections, and the claims that the
sentence makes, which no other sentence of the report may contradict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import combinations

from oracle.numbers import is_printed
from oracle.raw import Key, Lab, Load

_VALUE = r"[0-9][0-9.,]*(?:/s| ?(?:ns|µs|ms|s|%|B|KiB|MiB|GiB|MB/s)(?![a-z])|×)?"
_TYPES = {
    "n": r"[0-9][0-9,]*",
    "value": _VALUE,
    "rate": r"[0-9][0-9.,]*/s",
    "ratio": r"[0-9][0-9.,]*×",
    "bare": r"[0-9][0-9.,]*",
    "percent": r"[0-9][0-9.,]* %",
    "text": r".+?",
    "rest": r".*",
}
_FIELD = re.compile(r"<(\w+):(\w+)>")
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)×%?/…]\.) (?=[A-Z0-9“?])|(?<=\?\.) |(?<=[?]) (?=[A-Z])")


EVERY = "every workload"


@dataclass(frozen=True)
class Claim:
    """An order of two arms, or that none is shown: two sentences of a report never differ in it."""

    kind: str
    """`order`: the first arm is shown to be better; `tie`: no difference is shown."""
    arms: tuple[str, str]
    load: str
    point: str
    metric: str
    sentence: str = ""


@dataclass(frozen=True)
class Said:
    """A sentence, and where it stands. `places`: the load points that it may be about."""

    surface: str
    text: str
    section: str = ""
    places: tuple[tuple[str, str], ...] = ()
    whole: str = ""
    """The title or answer that it is a part of."""
    metric: str = ""
    """The metric of a chart, by its subtitle."""
    workload: str = ""
    """That of a chart, by its subtitle; empty: unknown; `EVERY`: all of them."""


_ACCOUNTED = re.compile(
    r"no result|without a result|unknown|not known|not measured|too few trials to rank|no rank for"
    r"|compared by"
)
_COUNTED = re.compile(r"\b[0-9]+ (?:ranked )?arms\b")
"""Words of an answer that counts arms in place of naming them."""


class ElsewhereError(Exception):
    """A sentence names an arm that is not measured where it is read."""


@dataclass(frozen=True)
class Heard:
    """A sentence whose form is known: its fields, and the arms that it may be about."""

    lab: Lab
    """The part of the study that its place is in: of one load and workload."""
    study: Lab
    said: Said
    fields: dict[str, str]
    load: str = ""
    point: str = ""
    metric: str = ""

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name) or ""

    def arm(self, name: str = "a") -> str:
        """The arm of a field."""
        return self._own(self[name].partition(" · ")[0])

    def _own(self, name: str) -> str:
        if name not in self.lab.names:
            raise ElsewhereError(f"{name} is not measured here")
        return self.lab.names[name]

    def point_of(self, name: str) -> str:
        """The load point of a field: its own, or that of the sentence."""
        return self[name].partition(" · ")[2] or self.point

    def arms(self, name: str = "a") -> list[str]:
        """The arms of a field with a list."""
        every = "|".join(map(re.escape, sorted(self.study.every_name, key=len, reverse=True)))
        return [self._own(one) for one in re.findall(every, self[name])]

    def key(self, name: str = "a") -> Key:
        """The cell of a field."""
        return self.arm(name), self.load, self.point_of(name)

    def at(self) -> Load:
        """The load that it is about."""
        return self.lab.load(self.load)

    def prints(self, name: str, value: float | None, digits: int = 3) -> Iterator[str]:
        """An objection unless a field is this number."""
        if value is None:
            yield f"{self[name]}: there is no result"
        elif not is_printed(self[name], value, digits):
            yield f"{self[name]}: the trials give {value:.6g}"

    def accounts_for(self, arms: Iterable[str]) -> Iterator[str]:
        """An objection for arms of which nothing is known, if the title does not say so."""
        whole = self.said.whole or self.said.text
        lost = [arm for arm in arms if not named(whole, *self.names_of(arm))]
        counted = _ACCOUNTED.search(whole)
        if lost and not counted:
            yield f"nothing is known of {', '.join(lost)}, and the sentence leaves that out"

    def all_named(self) -> Iterator[str]:
        """An objection for arms of this place that an answer neither names nor counts."""
        lead = self.said.whole.partition(" Load: ")[0]
        whole = lead if self.said.text in lead else self.said.whole or self.said.text
        lost = [a.name for a in self.lab.rivals if not named(whole, *self.names_of(a.name))]
        if lost and not _COUNTED.search(whole):
            yield f"{', '.join(lost)} is left out"

    def names_of(self, arm: str) -> list[str]:
        """The names that a sentence may use for an arm."""
        return [name for name, known in self.lab.names.items() if known == arm]


def named(text: str, *names: str) -> bool:
    """True if a text has one of these names, as a word."""
    return any(re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", text) for name in names)


def use_words(load: Load) -> str:
    """The use of connections by a load, as an answer may say it."""
    several = f", {load.burst} calls pipelined" if load.burst > 1 else ""
    few = f", {load.calls} requests per connection" if load.calls else ""
    return f"keep-alive{several}{few}"


Rule = Callable[[Heard], Iterable["str | Claim"]]


@dataclass(frozen=True)
class Form:
    """A form of sentences."""

    pattern: str
    rule: Rule
    example: str
    sections: tuple[str, ...] = ()
    """The sections of charts in which it is read; empty: everywhere."""


@dataclass
class Report:
    """The findings of the oracle in one report."""

    objections: list[tuple[Said, str]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    read: int = 0

    def contradictions(self) -> Iterator[str]:
        """Pairs of sentences that cannot both be true."""
        places: dict[tuple[object, ...], list[Claim]] = {}
        for one in self.claims:
            key = (frozenset(one.arms), one.load, one.point, one.metric)
            places.setdefault(key, []).append(one)
        for claims in places.values():
            for one, other in combinations(claims, 2):
                kinds = {one.kind, other.kind}
                same = one.arms == other.arms
                if kinds == {"order", "tie"} or (kinds == {"order"} and not same):
                    yield f"“{one.sentence}” contradicts “{other.sentence}”"
                    break


@lru_cache(maxsize=20_000)
def _compiled(pattern: str, names: tuple[str, ...], points: tuple[str, ...]) -> re.Pattern[str]:
    arm = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    point = "|".join(re.escape(one) for one in sorted(points, key=len, reverse=True)) or "-"
    types = {
        **_TYPES,
        "arm": arm,
        "arms": f"(?:{arm})(?:, (?:{arm}))*(?: and (?:{arm}))?",
        "either": f"(?:{arm})(?:, (?:{arm}))* or (?:{arm})",
        "cell": f"(?:{arm})(?: · (?:{point}))?",
        "point": point,
        "named": rf"(?:{arm}) (?:[0-9.,]+× \([^)]*\)|no result)",
    }
    return re.compile(_FIELD.sub(lambda one: f"(?P<{one[1]}>{types[one[2]]})", pattern))


@cache
def _loose(pattern: str) -> re.Pattern[str]:
    """A form with any text in place of names and points. It is compiled once for all studies."""
    types = {**dict.fromkeys(("arm", "arms", "either", "cell", "point", "named"), ".+"), **_TYPES}
    return re.compile(_FIELD.sub(lambda one: f"(?:{types[one[2]]})", pattern), re.DOTALL)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without their periods."""
    return [one.strip().removesuffix(".") for one in _SENTENCE_END.split(text) if one.strip()]


def understood(
    form: Form, text: str, names: tuple[str, ...], points: tuple[str, ...]
) -> re.Match[str] | None:
    """The fields of a sentence that has this form; None: it has not."""
    if _loose(form.pattern).fullmatch(text) is None:
        return None
    return _compiled(form.pattern, names, points).fullmatch(text)


def read(said: Said, forms: Sequence[Form], lab: Lab, report: Report) -> None:
    """Read one sentence, and add what is wrong with it to the report."""
    report.read += 1
    names = lab.every_name
    points = tuple(sorted({one.label for load in lab.loads for one in load.points}))
    known = False
    objections: list[str] = []
    if re.search(r"(?<![0-9,.])1,000 (?:ns|µs|ms)\b", said.text) and "CPU" not in said.text:
        report.objections.append((said, "1,000 of a unit is 1.00 of the next"))
    for form in forms:
        if form.sections and said.section not in form.sections:
            continue
        match = understood(form, said.text, names, points)
        if match is None:
            continue
        known = True
        found = _tried(form, match, said, lab)
        objections = [one for one in found if isinstance(one, str)]
        if not objections:
            claims = [one for one in found if isinstance(one, Claim)]
            report.claims += [replace(one, sentence=said.text) for one in claims]
            return
    if not known:
        objections = ["this form is not known"]
    report.objections += [(said, one) for one in objections]


def _tried(form: Form, match: re.Match[str], said: Said, lab: Lab) -> list[str | Claim]:
    """The findings at the place that fits best, of those that the sentence may be about."""
    fields = {name: value or "" for name, value in match.groupdict().items()}
    best: list[str | Claim] | None = None
    for heard in _where(said, fields, lab):
        try:
            found = list(form.rule(heard))
        except ElsewhereError as error:
            found = [str(error)]
        bad = [one for one in found if isinstance(one, str)]
        if not bad:
            return found
        if best is None or len(bad) < sum(isinstance(one, str) for one in best):
            best = found
    return best or []


def _where(said: Said, fields: dict[str, str], lab: Lab) -> Iterator[Heard]:
    """The sentence at each place, and with the arms of each workload, that it may be about."""
    for load, point in said.places or (("", ""),):
        parts = lab.parts[load] if load else (lab,)
        for part in (lab.measured(load),) if said.workload == EVERY else parts:
            if said.workload in ("", EVERY, *part.workloads):
                yield Heard(part, lab, said, fields, load, point)

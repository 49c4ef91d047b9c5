"""The page about verdicts says what the rules say."""

from __future__ import annotations

import re
from pathlib import Path

from httpdyno.doubts import NUMBERS, READ_FOR, in_words
from httpdyno.study import LOADS
from httpdyno.verdict import RULES

PAGE = (Path(__file__).parents[3] / "docs" / "concepts" / "verdicts.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The rows of the table whose head begins so."""
    after = PAGE[PAGE.index(f"| {heading} |") :].split("\n\n")[0]
    return [[field.strip() for field in line.split("|")[1:-1]] for line in after.split("\n")[2:]]


def named(doubts: str) -> str:
    """The words of the page as the program has them."""
    if doubts.startswith("all but "):
        return in_words(number for number in NUMBERS if number != doubts.removeprefix("all but "))
    return "all numbers" if doubts == "all" else doubts


def test_the_table_of_checks_has_every_rule_with_its_verdict_its_doubts_and_a_reason() -> None:
    told = {row[0].strip("`"): row for row in rows("check")}
    assert list(told)
    assert set(told) == set(RULES)
    for code, rule in RULES.items():
        _, status, _, doubts, because = told[code]
        assert status == rule.status
        assert named(doubts) == in_words(rule.doubts), code
        assert because, code


def test_the_table_of_causes_has_every_reason_that_another_makes_redundant() -> None:
    told = {cause: set(re.findall("`([a-z_]+)`", instead)) for cause, instead in rows("shown")}
    causes = {cause for rule in RULES.values() for cause in rule.unless}
    assert {cause.strip("`") for cause in told} == causes
    for cause in causes:
        gone = {code for code, rule in RULES.items() if cause in rule.unless}
        assert told[f"`{cause}`"] == gone, cause


def test_the_table_of_loads_has_the_numbers_that_each_is_for() -> None:
    for kinds, numbers, because in rows("load"):
        for kind in re.findall("`([a-z]+)`", kinds):
            assert numbers == in_words(READ_FOR[LOADS[kind].purpose]), kind
        assert because

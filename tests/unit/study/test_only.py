"""`--only` takes servers, arms and groups of arms, separated by commas."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.study import narrow
from httpdyno.study.model import Study
from httpdyno.study.read import parse_study

GOOD = """\
title = "Two servers"
workload = "pong"

[[arms]]
server = "a"
deployments = ["1-process"]

[[arms]]
server = "b"
deployments = ["1-worker", "2-workers"]

[loads.full]
kind = "closed"
duration = "2s"
"""


def parse(text: str) -> Study:
    return parse_study(text, Path("mine.toml"))


def test_only_keeps_whole_servers_and_single_arms() -> None:
    study = narrow(parse(GOOD), only=["a", "b/2-workers"])
    assert [(g.server, g.deployments) for g in study.arms] == [
        ("a", ("1-process",)),
        ("b", ("2-workers",)),
    ]
    with pytest.raises(UsageError, match="`b/3` is not an arm of `mine`"):
        narrow(parse(GOOD), only=["b/3"])


def test_only_keeps_a_group_of_arms_and_several_names_with_commas() -> None:
    text = GOOD.replace('server = "a"', 'server = "a"\ngroup = "letters"')
    assert text != GOOD
    study = parse(text)
    assert [g.server for g in narrow(study, only=["letters"]).arms] == ["a"]
    assert narrow(study, only=["letters, b"]).arms == study.arms
    with pytest.raises(UsageError, match="`c` is not an arm of `mine`: expected `letters`, `a`"):
        narrow(study, only=["letters,c"])


def test_an_arm_whose_name_has_a_comma_is_found_under_it() -> None:
    text = GOOD.replace('server = "a"', 'server = "a"\nname = "a,x"')
    study = parse(text)
    assert [g.title for g in narrow(study, only=["a,x"]).arms] == ["a,x"]

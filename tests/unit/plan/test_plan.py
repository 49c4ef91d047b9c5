"""A plan has every cell once a block, in an order that only the seed decides."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from httpdyno.plan import Plan, total_s, trials_s
from httpdyno.study import Study
from httpdyno.study.abilities import Abilities
from httpdyno.study.read import parse_study
from hypothesis import given
from hypothesis import strategies as st

TEXT = """\
title = "Two servers"
blocks = {blocks}
baseline = "b/1"
aa_control = true
warm_up = "2s"
[[arms]]
server = "a"
deployments = ["1", "2"]
[[arms]]
server = "b"
deployments = ["1"]
[loads.closed]
kind = "closed"
connections = [1, 64]
duration = "5s"
[loads.open]
kind = "requests"
rate = [100, 200, 400]
requests = 1000
warm_up = 0
arms = ["b/1"]
"""


def study(blocks: int = 4, seed: int = 1) -> Study:
    read = parse_study(TEXT.format(blocks=blocks), Path("mine.toml"))
    return read.model_copy(update={"seed": seed})


def test_the_control_stands_behind_its_baseline_and_runs_the_same_server() -> None:
    found = Plan(study()).arms
    assert [arm.name for arm in found] == ["a/1", "a/2", "b/1", "b/1 (A/A)"]
    assert (found[3].server, found[3].deployment, found[3].control_of) == ("b", "1", "b/1")


def test_a_load_for_some_arms_is_for_their_control_too() -> None:
    count = Counter(cell.load_name for cell in Plan(study()).cells)
    assert count == {"closed": 2 * 4, "open": 3 * 2}


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_every_block_has_every_cell_exactly_once(seed: int, blocks: int) -> None:
    trials = Plan(study(blocks, seed)).trials
    every = Counter(cell.key for cell in Plan(study(blocks)).cells)
    for block in range(blocks):
        assert Counter(t.cell.key for t in trials if t.block == block) == every
    assert [trial.index for trial in trials] == list(range(len(trials)))


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    assert Plan(study(seed=7)).trials == Plan(study(seed=7)).trials
    assert Plan(study(seed=7)).trials != Plan(study(seed=8)).trials


def test_blocks_are_shuffled_apart_and_trials_seeded_apart() -> None:
    trials = Plan(study()).trials
    orders = {tuple(t.cell.key for t in trials if t.block == b) for b in range(4)}
    assert len(orders) == 4
    assert len({trial.seed for trial in trials}) == len(trials)


def test_more_blocks_leave_the_earlier_ones_as_they_were() -> None:
    short, long = Plan(study(2, 3)).trials, Plan(study(5, 3)).trials
    assert long[: len(short)] == short


def test_warm_up_is_the_loads_own_or_the_studys() -> None:
    assert {(c.load_name, c.warm_up_s) for c in Plan(study()).cells} == {
        ("closed", 2.0),
        ("open", 0.0),
    }


def test_an_arm_that_needs_longer_is_warmed_up_longer_unless_the_load_says_how_long() -> None:
    slow = TEXT.format(blocks=1).replace('server = "b"', 'server = "b"\nwarm_up = "5s"')
    found = {
        (c.arm.name, c.load_name): c.warm_up_s
        for c in Plan(parse_study(slow, Path("m.toml"))).cells
    }
    assert found["a/1", "closed"] == 2.0
    assert found["b/1", "closed"] == found["b/1 (A/A)", "closed"] == 5.0
    assert found["b/1", "open"] == 0.0


def test_workloads_are_in_the_arms_names_only_when_there_are_several() -> None:
    text = TEXT.format(blocks=1).replace('server = "a"', 'server = "a"\nworkload = "echo"')
    two = parse_study(
        text.replace('"b/1"', '"b/1 hello"').replace("aa_control = true", 'workload = "hello"'),
        Path("m.toml"),
    )
    assert [arm.name for arm in Plan(two).arms] == ["a/1 echo", "a/2 echo", "b/1 hello"]


def test_the_estimate_grows_with_what_trials_wait_for() -> None:
    one, two = Plan(study(1)).trials, Plan(study(2)).trials
    assert sum(7.0 for t in one if t.cell.load_name == "closed") < trials_s(one) < trials_s(two)


def one_arm(load: str) -> Study:
    arms = '[[arms]]\nserver = "a"\ndeployments = ["1-process"]\n'
    return parse_study(f'title = "t"\nblocks = 4\n{arms}[loads.l]\n{load}\n', Path("s.toml"))


CLOSED = 'kind = "closed"\nconnections = 10\nduration = 1\n'
SESSIONS = 'kind = "sessions"\nrate = 10\ncalls = 5\nduration = 1\n'


@pytest.mark.parametrize(
    ("load", "need"),
    [
        (CLOSED, "keep-alive"),
        (CLOSED + "burst = 5", "pipelining"),
        (CLOSED + 'http = "1.0"', "http-1.0-keep-alive"),
        (SESSIONS, "keep-alive"),
        (SESSIONS + "burst = 5", "pipelining"),
    ],
)
def test_what_a_server_cannot_do_is_refused_with_its_reason(load: str, need: str) -> None:
    unable = {"a/1-process": Abilities(cannot={need: "it answers one and drops the rest."})}
    (cell,) = Plan(one_arm(load), unable).cells
    assert cell.refused is not None
    assert cell.refused.endswith("does not support: it answers one and drops the rest")
    (able,) = Plan(one_arm(load)).cells
    assert able.refused is None


@pytest.mark.parametrize(
    "load",
    [
        CLOSED + "keep_alive = false",
        CLOSED + "calls_per_connection = 1",
        SESSIONS.replace("calls = 5", "calls = 1"),
        CLOSED + 'http = "1.0"\nkeep_alive = false',
    ],
)
def test_a_load_of_one_call_a_connection_needs_nothing(load: str) -> None:
    nothing = dict.fromkeys(("keep-alive", "pipelining", "http-1.0-keep-alive"), "no")
    (cell,) = Plan(one_arm(load), {"a/1-process": Abilities(cannot=nothing)}).cells
    assert cell.refused is None


def test_a_load_without_a_version_has_that_of_the_server_and_its_row_says_so() -> None:
    only_2 = Abilities(cannot={"http-1": "the deployment `h2c` speaks HTTP/2 only"}, http="2")
    (cell,) = Plan(one_arm(CLOSED), {"a/1-process": only_2}).cells
    assert (cell.load.version, cell.refused) == ("2", None)
    assert cell.notes == ("over HTTP/2, because the load names no version",)
    (named,) = Plan(one_arm(CLOSED + 'http = "2"'), {"a/1-process": only_2}).cells
    assert (named.load.version, named.refused, named.notes) == ("2", None, ())
    for version in ("1.0", "1.1"):
        (other,) = Plan(one_arm(CLOSED + f'http = "{version}"'), {"a/1-process": only_2}).cells
        assert other.load.version == version
        assert other.refused == (
            "the load needs HTTP/1.1, which this server does not support:"
            " the deployment `h2c` speaks HTTP/2 only"
        )


@pytest.mark.parametrize(
    ("load", "given"),
    [
        (CLOSED, 2),
        ('kind = "requests"\nrate = 10\nconnections = 64\nduration = 1', 2),
        (CLOSED + "keep_alive = false", 10),
        (SESSIONS + "max_open = 9", 9),
        (CLOSED.replace("10", "1"), 1),
    ],
)
def test_a_server_with_a_process_a_connection_is_given_no_more_than_it_has(
    load: str, given: int
) -> None:
    (free,) = Plan(one_arm(load)).cells
    (cell,) = Plan(one_arm(load), {"a/1-process": Abilities(most_connections=2)}).cells
    assert cell.point.connections == given
    assert cell.key == free.key
    told = [f"given 2 connections instead of {free.point.connections}: " in n for n in cell.notes]
    assert told == ([True] if given == 2 else [])


def test_a_search_for_a_capacity_uses_as_many_connections_as_the_server_handles() -> None:
    study = one_arm('kind = "capacity"\nlimits = ["p99<20ms"]')
    (free,) = Plan(study).cells
    (cell,) = Plan(study, {"a/1-process": Abilities(most_connections=2)}).cells
    assert (free.point.connections, cell.point.connections) == (None, 2)


def test_a_load_may_be_in_the_first_blocks_only() -> None:
    study = one_arm(CLOSED + "blocks = 1")
    assert [trial.block for trial in Plan(study).trials] == [0]


def test_refused_cells_keep_their_place_in_the_plan_and_cost_no_time() -> None:
    study = one_arm(CLOSED)
    unable = {"a/1-process": Abilities(cannot={"keep-alive": "no"})}
    trials = Plan(study, unable).trials
    assert [trial.index for trial in trials] == [trial.index for trial in Plan(study).trials]
    assert total_s(trials) == 0


def test_each_workload_has_a_baseline_of_its_own() -> None:
    groups = [("a", "pong"), ("b", "pong"), ("b", "file"), ("a", "file"), ("c", "hello")]
    arms_text = "".join(
        f'[[arms]]\nserver = "{server}"\ndeployments = ["1"]\nworkload = "{workload}"\n'
        for server, workload in groups
    )
    text = f'title = "t"\nbaseline = "a/1 pong"\n{arms_text}[loads.l]\n{CLOSED}'
    study = parse_study(text, Path("s.toml"))
    assert Plan(study).baselines == {
        "pong": "a/1 pong",
        "file": "a/1 file",
        "hello": "c/1 hello",
    }

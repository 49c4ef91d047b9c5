"""The five replays as they are shipped: whole, within their time, and true to their posts."""

from __future__ import annotations

from functools import cache

import pytest
from httpdyno.cli.run.dry_run import planned_trials
from httpdyno.errors import UsageError
from httpdyno.plan import total_s
from httpdyno.run import read_study
from httpdyno.running.published_rows import published_rows
from httpdyno.servers import Catalogue, load_catalogue
from httpdyno.statistics.intervals import FEWEST_TRIALS
from httpdyno.study import built_in_studies, narrow
from httpdyno.study.replays import REPLAYS

ALL_WITHIN_S = 2 * 3600
QUICK_WITHIN_S = 20 * 60


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


def test_the_replays_are_the_built_in_studies_of_a_year() -> None:
    assert set(REPLAYS) == set(built_in_studies()) - {"demo", "protocols", "today-db"}


@pytest.mark.parametrize(("quick", "limit_s"), [(False, ALL_WITHIN_S), (True, QUICK_WITHIN_S)])
def test_all_five_fit_into_their_time(quick: bool, limit_s: float) -> None:
    studies = [narrow(read_study(name, catalogue()), quick=quick) for name in REPLAYS]
    assert sum(total_s(planned_trials(study, catalogue())) for study in studies) < 0.96 * limit_s


@pytest.mark.parametrize("name", REPLAYS)
def test_each_has_what_was_published_the_same_shape_and_a_corrected_load(name: str) -> None:
    study = read_study(name, catalogue())
    replayed = {row.load for row in study.published}
    assert study.source
    assert any(load.startswith("as-published") for load in study.loads)
    assert {load for load in study.loads if load.startswith("as-published")} == replayed
    corrected = [load for key, load in study.loads.items() if key not in replayed]
    assert corrected
    assert all(load.blocks is None for load in corrected)
    assert study.blocks >= FEWEST_TRIALS


@pytest.mark.parametrize("name", REPLAYS)
def test_each_published_number_of_an_arm_is_of_one_under_that_load(name: str) -> None:
    study = read_study(name, catalogue())
    for row in study.published:
        only = study.loads[row.load].arms
        assert row.arm is None or only is None or row.arm in only, row


def test_most_bars_of_snap_would_have_been_refused_and_the_clean_ones_not() -> None:
    rows = published_rows(read_study("snap-2010", catalogue()))
    judged = [(row, row.verdict_of_log) for row in rows if row.verdict_of_log is not None]
    assert len(judged) == 24
    assert sum(verdict.status == "invalid" for _, verdict in judged) == 18
    valid = {(row.arm, row.requests_per_s) for row, verdict in judged if verdict.status == "valid"}
    assert valid == {
        ("happstack/1-core pong", 8578),
        ("happstack/1-core pong", 16299),
        ("happstack/1-core file", 7554),
        ("snap/1-core file", 10832),
    }
    (node,) = [v for row, v in judged if row.arm == "node/1-process file"]
    assert node.reasons[0].text.startswith("99.75 % of the replies were wrong: 997,483 of")


def test_the_servers_with_a_database_can_be_measured_by_language() -> None:
    study = read_study("today-db", catalogue())
    groups = {group.group for group in narrow(study, only=["python,node"]).arms}
    assert groups == {"python", "node"}
    with pytest.raises(UsageError, match=r"expected one of \d+, such as `go`"):
        narrow(study, only=["perl"])


def test_each_deployment_with_a_database_is_measured_in_the_group_of_its_language() -> None:
    study = read_study("today-db", catalogue())
    measured = {(arm.server, name) for arm in study.arms for name in arm.deployments}
    assert measured == {
        (server.name, name)
        for server in catalogue()
        for name in server.deployments
        if "db" in server.workloads_of(name)
    }
    assert all(arm.group for arm in study.arms)

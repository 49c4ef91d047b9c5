"""Series come from the numbers of stored runs, and from nothing that is not comparable."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.history import Others, Series, follow
from httpdyno.history.words import gap_words, grounds, likely
from httpdyno.result import Reason
from httpdyno.running.archive.histories import RunNumbers, Selection, collect, is_of
from httpdyno.store import Store, summaries
from sqlalchemy import text
from stored_runs import MACHINE, TEXT, VERSIONS, nights, store_in, store_run, study

STEP = [4000.0] * 6 + [3600.0] * 6


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path / "data")


def collected(store: Store, **wanted: object) -> RunNumbers:
    return collect(store, summaries(store), Selection(**wanted), lambda _: None)  # type: ignore[arg-type]


def followed(store: Store, **wanted: object) -> list[Series]:
    found = collected(store, **wanted)
    return follow(found.observations, found.gaps)


def test_each_arm_load_and_metric_has_a_series_over_the_runs(store: Store, tmp_path: Path) -> None:
    nights(store, study(tmp_path), STEP)
    found = followed(store)
    names = {(one.place.arm, one.place.load, one.place.metric.name) for one in found}
    assert {name for name in names if name[0] == "alpha/1-process"} == {
        ("alpha/1-process", "full", "throughput"),
        ("alpha/1-process", "full", "cpu"),
        ("alpha/1-process", "full", "memory"),
        ("alpha/1-process", "steady", "p50"),
        ("alpha/1-process", "steady", "p99"),
        ("alpha/1-process", "steady", "cpu"),
        ("alpha/1-process", "steady", "memory"),
    }
    assert all([row.run for row in one.observations] == list(range(1, 13)) for one in found)
    throughput = next(one for one in found if one.place.metric.name == "throughput")
    (change,) = throughput.changes
    assert (change.after.run, change.outcome) == (7, "worse")
    assert change.point.change == pytest.approx(-0.1, abs=0.02)


def test_only_what_is_wanted_is_collected(store: Store, tmp_path: Path) -> None:
    nights(store, study(tmp_path), [4000, 4000])
    found = followed(store, load="full", metrics=("throughput",))
    assert [(one.place.arm, one.place.load, one.place.metric.name) for one in found] == [
        ("alpha/1-process", "full", "throughput"),
        ("beta/1-process", "full", "throughput"),
    ]
    assert collected(store, load="none").observations == []
    for arm in (None, "alpha", "alpha/1-process"):
        assert is_of(arm, "alpha/1-process", "alpha")
    assert is_of("own", "own/1-process", "alpha")
    assert not is_of("alpha/1", "alpha/1-process", "alpha")


def test_suspect_numbers_are_in_the_series_with_their_reasons(store: Store, tmp_path: Path) -> None:
    nightly = study(tmp_path)
    doubt = Reason(code="backlog", status="suspect", text="a backlog: 9", hint="less")
    store_run(store, nightly, 0, rates={"alpha": 4000.0})
    store_run(store, nightly, 1, rates={"alpha": 1000.0}, reasons=[doubt])
    (one,) = followed(store, load="full", metrics=("throughput",))
    assert [(row.run, row.status) for row in one.observations] == [(1, "valid"), (2, "suspect")]
    assert one.latest.estimate.value == pytest.approx(1000, rel=0.02)
    assert [reason.code for reason in one.latest.reasons] == ["backlog"]
    only_valid = collected(store, load="full", valid_only=True)
    assert {row.run for row in only_valid.observations} == {1}
    assert (only_valid.suspect_of(None), only_valid.suspect_of("beta")) == (3, 0)


def test_a_regression_that_overloads_the_server_is_found_and_rests_on_suspect_runs(
    store: Store, tmp_path: Path
) -> None:
    nightly = study(tmp_path)
    doubt = Reason(code="backlog", status="suspect", text="a backlog: 9", hint="less")
    for night, rate in enumerate([4000, 3900, 4100, 2000, 2100, 1900]):
        reasons = [doubt] if night >= 3 else []
        store_run(store, nightly, night, rates={"alpha": rate}, reasons=reasons)
    (one,) = followed(store, load="full", metrics=("throughput",))
    (change,) = one.changes
    assert (change.after.run, change.outcome) == (4, "worse")
    assert [row.run for row in change.suspect] == [4, 5, 6]
    assert next(grounds(one, change)) == (
        "3 of the 6 runs that it rests on are suspect (run 6: a backlog)."
    )


def test_a_run_without_a_result_stays_in_sight(store: Store, tmp_path: Path) -> None:
    nightly = study(tmp_path)
    wrong = Reason(code="wrong", status="invalid", text="wrong replies: 9", hint="fix it")
    store_run(store, nightly, 0, rates={"alpha": 4000.0})
    store_run(store, nightly, 1, rates={"alpha": 4000.0}, reasons=[wrong])
    (one,) = followed(store, load="full", metrics=("throughput",))
    assert [row.run for row in one.observations] == [1]
    assert [(gap.run, gap.reason) for gap in one.gaps] == [(2, "wrong replies")]
    assert gap_words(one) == "no result in run 2: wrong replies"


def test_an_invalid_number_is_never_used_and_its_load_point_is_named(
    store: Store, tmp_path: Path
) -> None:
    wrong = Reason(code="wrong", status="invalid", text="wrong", hint="fix it")
    store_run(store, study(tmp_path), 0, rates={"alpha": 4000.0}, reasons=[wrong])
    found = collected(store)
    assert found.observations == []
    assert [(gap.place.load, gap.reason) for gap in found.without("alpha")] == [
        ("full", "wrong (in each of 5 trials)"),
        ("steady", "wrong (in each of 5 trials)"),
    ]


def test_an_unfinished_run_counts_with_what_it_has(store: Store, tmp_path: Path) -> None:
    store_run(store, study(tmp_path), 0, rates={"alpha": 4000.0}, blocks=1)
    (one,) = followed(store, load="full", metrics=("throughput",))
    assert one.latest.estimate.trials == 1
    assert one.latest.estimate.low is None


def test_another_machine_has_a_series_of_its_own_unless_told_otherwise(
    store: Store, tmp_path: Path
) -> None:
    nightly = study(tmp_path)
    other = {**MACHINE, "processor": "Intel Xeon"}
    for night in range(4):
        machine = other if night % 2 else MACHINE
        store_run(store, nightly, night, rates={"alpha": 4000.0}, machine=machine)
    wanted = {"load": "full", "metrics": ("throughput",)}
    assert [len(one.observations) for one in followed(store, **wanted)] == [2, 2]
    (all_of_them,) = followed(store, all_machines=True, **wanted)
    assert len(all_of_them.observations) == 4


def own(command: str, more: str = "") -> str:
    """The study with the server `alpha` started by a command of the user's own."""
    arm = f'name = "alpha"\nstart = "{command} {{port}}"\n{more}'
    return TEXT.replace('server = "alpha"\ndeployments = ["1-process"]\n', arm)


def test_another_command_is_a_difference_beside_the_version(store: Store, tmp_path: Path) -> None:
    texts = own("./app"), own("./app --slow", 'env = { MODE = "dev", API_TOKEN = "s3cret" }\n')
    for night, rate in enumerate(STEP):
        versions = {**VERSIONS, "alpha": "2.0" if night >= 6 else "1.0"}
        edited = study(tmp_path, texts[night >= 6])
        rates = {"alpha": rate, "beta": 2000.0}
        store_run(store, edited, night, rates=rates, versions=versions)
    (change,) = followed(store, load="full", metrics=("throughput",))[0].changes
    assert change.differences == (
        ("server", "1.0", "2.0"),
        ("command", "./app {port}", "./app --slow {port}"),
        ("environment", "", "API_TOKEN=*** MODE=dev"),
    )
    assert likely(change).startswith(
        "Changed with it: the server's version, the start of the server; the other server"
    )


def test_a_version_in_a_folder_of_its_own_is_only_a_new_version(
    store: Store, tmp_path: Path
) -> None:
    for night, rate in enumerate(STEP):
        commit = "b" if night >= 6 else "a"
        folder = f'version = "{commit}"\ncwd = "{commit}"\n'
        edited = study(tmp_path, own("./app", folder))
        versions = {**VERSIONS, "alpha": commit}
        store_run(store, edited, night, rates={"alpha": rate}, versions=versions)
    (change,) = followed(store, load="full", metrics=("throughput",))[0].changes
    assert change.differences == (("server", "a", "b"),)


def test_a_new_kernel_is_no_other_machine_but_a_difference(store: Store, tmp_path: Path) -> None:
    nightly = study(tmp_path)
    newer = {**MACHINE, "kernel": "Linux 6.6.0", "load average at the start": "9"}
    for night, rate in enumerate(STEP):
        machine = newer if night >= 6 else MACHINE
        store_run(store, nightly, night, rates={"alpha": rate}, machine=machine)
    (one,) = followed(store, load="full", metrics=("throughput",))
    assert [(d.what, d.after) for d in one.changes[0].differences] == [("kernel", "Linux 6.6.0")]


def test_a_load_that_was_edited_begins_a_new_series_and_one_more_arm_does_not(
    store: Store, tmp_path: Path
) -> None:
    more = TEXT + '[[arms]]\nserver = "gamma"\ndeployments = ["1"]\n'
    longer = TEXT.replace('connections = 10\nduration = "5s"', 'connections = 10\nduration = "9s"')
    for night, variant in enumerate([TEXT, more, longer]):
        store_run(store, study(tmp_path, variant), night, rates={"alpha": 4000.0})
    found = followed(store, load="full", metrics=("throughput",))
    assert [[row.run for row in one.observations] for one in found] == [[1, 2], [3]]


def test_a_run_that_cannot_be_read_is_left_out_with_a_sentence(
    store: Store, tmp_path: Path
) -> None:
    nights(store, study(tmp_path), [4000, 4000])
    with store.transaction() as connection:
        connection.execute(text("UPDATE trials SET outcome = '{}' WHERE run_id = 1"))
    found = collected(store)
    assert {one.run for one in found.observations} == {2}
    (sentence,) = found.unreadable
    assert sentence.startswith("run 1 is left out: the results database")


def test_the_version_of_the_server_is_recorded_beside_its_numbers(
    store: Store, tmp_path: Path
) -> None:
    nightly = study(tmp_path)
    for night, rate in enumerate(STEP):
        versions = {**VERSIONS, "alpha": "1.26.1" if night >= 6 else "1.24.0"}
        rates = {"alpha": rate, "beta": 2000.0}
        store_run(store, nightly, night, rates=rates, versions=versions)
    alpha, beta = followed(store, load="full", metrics=("throughput",))
    assert beta.changes == ()
    (change,) = alpha.changes
    assert change.differences == (("server", "1.24.0", "1.26.1"),)
    assert change.others == Others(steady=1)

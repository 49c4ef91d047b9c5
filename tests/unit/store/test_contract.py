"""The contract of the store, on SQLite and on PostgreSQL: what is recorded survives, as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.result import FailureRow
from httpdyno.running.archive.document import document_of, to_json
from httpdyno.running.archive.importing import import_runs
from httpdyno.running.stored_result import stored_result
from httpdyno.store import Home, Store, migrations, open_store, summaries
from httpdyno.store.migrations import STEPS
from httpdyno.store.tables import MIGRATIONS, TRIALS
from sqlalchemy import insert, inspect, select, update
from stored_runs import nights, study
from stored_samples import RUN, outcome

SHARED = str(Path(__file__).parents[2] / "shared")


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """A process of its own that runs this code, with the store and the samples at hand."""
    begin = "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
    begin += "from httpdyno.store import open_store; from stored_samples import RUN, outcome\n"
    paths = ":".join([SHARED, *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-c", begin + code, paths, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_what_is_recorded_comes_back_as_it_was_in_the_order_of_the_plan(url: str) -> None:
    store = open_store(url)
    run = store.begin_run(RUN)
    for index in (3, 0, 2):
        store.record(run, outcome(index))
    failure = FailureRow(arm="b/1", stage="install", reason="no room", log="b.log")
    store.record_preparation(run, '{"versions": {}}', ["a/1", "b/1"], [failure])
    store.record_ceiling(run, "closed 10", 41_000.5)
    again = open_store(url)
    assert again.trials(run) == [outcome(0), outcome(2), outcome(3)]
    assert again.failures(run) == [failure]
    stored = again.run(run)
    assert stored is not None
    assert (stored.folder, stored.study_text) == ("/results/demo", "title = 'x'")
    assert stored.study_document == RUN.study_document
    assert stored.servers_document == '{"versions": {}}'
    assert (stored.seed, stored.started_at) == (4_000_000_000, 5.0)
    assert again.ceilings(run) == {"closed 10": 41_000.5}


def test_an_unfinished_run_is_found_by_what_decides_its_plan_until_it_is_finished(
    store: Store,
) -> None:
    store.begin_run(RUN)
    newest = store.begin_run(RUN)
    found = store.newest_unfinished("demo 1")
    assert found is not None
    assert (found.id, found.seed, found.facts) == (newest, RUN.seed, tuple(RUN.facts))
    assert store.newest_unfinished("demo 2") is None
    store.finish(newest, 9.0)
    older = store.newest_unfinished("demo 1")
    assert older is not None
    assert older.id != newest
    last = store.newest("demo 1")
    assert last is not None
    assert (last.id, last.ended_at) == (newest, 9.0)
    assert store.newest("demo 2") is None


def test_runs_do_not_see_each_others_rows(store: Store) -> None:
    one, other = store.begin_run(RUN), store.begin_run(RUN)
    store.record(one, outcome(0))
    store.record(other, outcome(0))
    assert len(store.trials(one)) == len(store.trials(other)) == 1


def test_a_later_preparation_of_an_arm_replaces_its_failure_and_no_other(store: Store) -> None:
    run = store.begin_run(RUN)
    rows = [
        FailureRow(arm=arm, stage="start", reason="first", log=None)
        for arm in ("a/1", "b/1", "c/1")
    ]
    store.record_preparation(run, "{}", ["a/1", "b/1", "c/1"], rows)
    later = FailureRow(arm="b/1", stage="check", reason="later", log=None)
    store.record_preparation(run, "{}", ["a/1", "b/1"], [later])
    assert [(row.arm, row.reason) for row in store.failures(run)] == [
        ("b/1", "later"),
        ("c/1", "first"),
    ]


def test_names_are_sorted_by_their_bytes_whatever_the_language_of_the_database(
    store: Store,
) -> None:
    run = store.begin_run(RUN)
    names = ["B/1", "_/1", "a/1", "a/10", "a/2", "Ä/1", "ä/1"]
    assert sorted(names) != sorted(names, key=str.casefold)
    rows = [FailureRow(arm=one, stage="start", reason="x", log=None) for one in reversed(names)]
    store.record_preparation(run, "{}", names, rows)
    assert [row.arm for row in store.failures(run)] == sorted(names)


def test_a_run_is_found_by_its_study_the_newest_with_a_trial_first(store: Store) -> None:
    first = store.begin_run(RUN)
    assert store.newest_of("demo") == store.run(first)
    store.record(first, outcome(0))
    second = store.begin_run(RUN)
    assert store.newest_of("demo") == store.run(first)
    store.record(second, outcome(0))
    assert store.newest_of("demo") == store.run(second)
    assert store.newest_of("other") is None
    assert [(study.name, study.run) for study in store.studies()] == [("demo", second)]


def test_studies_of_the_same_name_in_two_projects_are_two_studies(store: Store) -> None:
    shop, blog = Home("1" * 64, "/shop"), Home("2" * 64, "/blog")
    runs = [
        store.begin_run(replace(RUN, project=home.project, study_folder=home.folder))
        for home in (shop, blog)
    ]
    store.record(runs[0], outcome(0))
    newest = [store.newest_of("demo", home=home) for home in (shop, blog)]
    assert [run and (run.id, run.study_folder) for run in newest] == [
        (runs[0], "/shop"),
        (runs[1], "/blog"),
    ]
    for find in (store.newest, store.newest_unfinished):
        found = find("demo 1", folder="/shop")
        assert found is not None
        assert found.id == runs[0]
        assert find("demo 1", folder="/elsewhere") is None
    known = store.studies()
    assert [(one.run, one.folder) for one in known] == [(runs[1], "/blog"), (runs[0], "/shop")]
    assert [run.id for run in summaries(store, study=known[1])] == [runs[0]]


@pytest.mark.parametrize("text", ["not JSON", "{}", '{"version": 1}', "[" * 10_000])
def test_a_damaged_trial_is_one_sentence_that_names_it(store: Store, text: str) -> None:
    run = store.begin_run(RUN)
    store.record(run, outcome(3))
    with store.transaction() as connection:
        connection.execute(update(TRIALS).values(outcome=text))
    with pytest.raises(EnvironmentFault, match=f"trial 3 of run {run} is damaged") as caught:
        store.trials(run)
    assert "\n" not in caught.value.message
    assert caught.value.hint == "begin a new run: `httpdyno run demo`"


def test_a_trial_recorded_twice_is_refused_and_the_first_stays(store: Store) -> None:
    run = store.begin_run(RUN)
    store.record(run, outcome(0))
    with pytest.raises(EnvironmentFault, match="another process"):
        store.record(run, outcome(0))
    assert store.trials(run) == [outcome(0)]


def test_a_trial_of_a_run_that_was_deleted_meanwhile_is_one_sentence(store: Store) -> None:
    run = store.begin_run(RUN)
    store.forget(run)
    with pytest.raises(EnvironmentFault, match="deleted while it was measured"):
        store.record(run, outcome(0))


def test_a_trial_survives_the_death_of_the_process_that_recorded_it(url: str) -> None:
    """The child is killed right after `record` returned: no exit handler, no close."""
    died = python(
        "import os\n"
        "store = open_store(sys.argv[2]); store.record(store.begin_run(RUN), outcome(7))\n"
        "os.kill(os.getpid(), 9)",
        url,
    )
    _, stderr = died.communicate()
    assert died.returncode == -9, stderr
    found = open_store(url).newest_unfinished("demo 1")
    assert found is not None
    assert open_store(url).trials(found.id) == [outcome(7)]


def test_a_transaction_that_fails_leaves_nothing_behind(store: Store) -> None:
    run = store.begin_run(RUN)

    def fail() -> None:
        with store.transaction() as connection:
            connection.exec_driver_sql("CREATE TABLE half (a INTEGER)")
            connection.exec_driver_sql(f"DELETE FROM facts WHERE run_id = {run}")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.transaction() as connection:
        assert not inspect(connection).has_table("half")
    found = store.newest_unfinished("demo 1")
    assert found is not None
    assert len(found.facts) == 2


def test_every_migration_is_recorded_once(url: str) -> None:
    open_store(url)
    with open_store(url).transaction() as connection:
        rows = connection.execute(
            select(MIGRATIONS.c.number, MIGRATIONS.c.name).order_by(MIGRATIONS.c.number)
        ).all()
    assert [tuple(row) for row in rows] == [
        (number, name) for number, (name, _) in enumerate(STEPS, start=1)
    ]


def test_a_later_step_is_run_once_and_keeps_what_is_stored(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = open_store(url).begin_run(RUN)
    later = ("later", ("ALTER TABLE runs ADD COLUMN later TEXT",))
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, later))
    for _ in range(2):
        store = open_store(url)
    with store.transaction() as connection:
        rows = connection.exec_driver_sql("SELECT id, later FROM runs").all()
        steps = connection.exec_driver_sql("SELECT number FROM migrations ORDER BY number").all()
    assert [tuple(row) for row in rows] == [(run, None)]
    assert [tuple(row) for row in steps] == [(1,), (2,)]


def test_a_newer_database_is_refused(url: str, store: Store) -> None:
    with store.transaction() as connection:
        row = {"number": 99, "name": "from the future", "applied_at": 1.0}
        connection.execute(insert(MIGRATIONS).values(row))
    with pytest.raises(EnvironmentFault, match="newer httpdyno"):
        open_store(url)


def test_eight_processes_that_begin_at_once_lose_and_repeat_nothing(url: str) -> None:
    """They also create the tables at once: the first creates them, the others wait for it."""
    each = 5
    code = (
        "input()\n"
        "store = open_store(sys.argv[2]); run = store.begin_run(RUN)\n"
        f"for index in range({each}): store.record(run, outcome(index))\n"
        "print(run)"
    )
    writers = [python(code, url) for _ in range(8)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    ended = [writer.communicate() for writer in writers]
    assert all(writer.returncode == 0 for writer in writers), ended
    runs = sorted(int(stdout) for stdout, _ in ended)
    store = open_store(url)
    assert len(set(runs)) == 8
    assert [one.id for one in summaries(store)] == runs
    assert all(store.trials(run) == [outcome(index) for index in range(each)] for run in runs)


def test_the_number_of_a_forgotten_run_is_never_given_again(store: Store) -> None:
    assert [store.begin_run(RUN) for _ in range(3)] == [1, 2, 3]
    for run in (3, 2):
        store.forget(run)
    assert [store.begin_run(RUN), store.begin_run(RUN)] == [4, 5]
    assert [one.id for one in summaries(store)] == [1, 4, 5]


def test_an_export_has_the_same_bytes_after_it_was_imported(store: Store, tmp_path: Path) -> None:
    there = open_store(f"sqlite:///{tmp_path / 'there.sqlite'}")
    nights(there, study(tmp_path), [4000, 4010])
    (tmp_path / "runs.json").write_text(exported(there))
    import_runs(store, [tmp_path / "runs.json"], None)
    ours, theirs = json.loads(exported(store)), json.loads(exported(there))
    assert [run.pop("origin") for run in ours["runs"]] == ["runs.json"] * 2
    assert [run.pop("origin") for run in theirs["runs"]] == [None] * 2
    assert ours == theirs
    for number in (1, 2):
        one, other = store.run(number), there.run(number)
        assert one is not None
        assert other is not None
        assert stored_result(store, one) == stored_result(there, other)


def exported(store: Store) -> str:
    runs = [run for one in summaries(store) if (run := store.run(one.id)) is not None]
    return to_json(document_of(store, run) for run in runs)


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "oracle99://x",
        "mysql://root@localhost/x",
        "postgresql+asyncpg://u:s3cret@h/x",
        "postgresql://u:s3cret@h:port/x",
        "results.sqlit",
        "",
    ],
)
def test_a_bad_url_is_the_users_fault_and_its_password_is_not_shown(url: str) -> None:
    with pytest.raises(UsageError, match="is not the URL of a database") as caught:
        open_store(url or " ")
    assert "s3cret" not in str(caught.value)

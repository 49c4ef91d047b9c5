"""PostgreSQL: a lost connection loses and repeats nothing; what it refuses is one sentence."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.result import FailureRow
from httpdyno.store import Patience, Store, open_store, summaries
from httpdyno.store import migrations as module
from httpdyno.store.patience import LostDatabaseError
from postgresql_server import PASSWORD, PostgreSQL
from sqlalchemy import event
from stored_samples import RUN, outcome


@pytest.fixture
def database(postgresql: PostgreSQL) -> Iterator[str]:
    yield postgresql.new_database()
    if not postgresql.runs:
        postgresql.start()


@pytest.fixture
def url(postgresql: PostgreSQL, database: str) -> str:
    return postgresql.url(database)


class Notes:
    """Remembers what is said, and starts the server when a wait begins."""

    def __init__(self, server: PostgreSQL, *, starts: bool = True) -> None:
        self.said: list[str] = []
        self._server = server
        self._starts = starts

    def __call__(self, text: str) -> None:
        self.said.append(text)
        if self._starts and "waiting up to" in text:
            threading.Thread(target=self._server.start).start()


def test_a_run_waits_for_a_server_that_was_stopped_and_says_so(
    postgresql: PostgreSQL, url: str
) -> None:
    notes = Notes(postgresql)
    store = open_store(url, Patience(60.0, notes))
    run = store.begin_run(RUN)
    store.record(run, outcome(0))
    postgresql.stop()
    store.record(run, outcome(1))
    assert store.trials(run) == [outcome(0), outcome(1)]
    assert len(notes.said) == 2
    assert "waiting up to 60 s for it to come back" in notes.said[0]
    assert notes.said[1].startswith("the results database is back after")


def test_a_server_that_does_not_come_back_ends_the_wait_with_what_to_do(
    postgresql: PostgreSQL, url: str
) -> None:
    notes = Notes(postgresql, starts=False)
    store = open_store(url, Patience(0.2, notes))
    run = store.begin_run(RUN)
    postgresql.stop()
    with pytest.raises(LostDatabaseError, match="did not come back within") as caught:
        store.record(run, outcome(0))
    assert caught.value.hint
    assert len(notes.said) == 1
    postgresql.start()
    store.record(run, outcome(0))
    assert store.trials(run) == [outcome(0)]


class CutAfterCommit:
    """Cuts the connection after the server has committed and before the program hears of it."""

    def __init__(self, store: Store, server: PostgreSQL, *, on_the_way: bool = False) -> None:
        self.cuts = 0
        self._server = server
        self._on_the_way = on_the_way
        event.listen(store._engine, "commit", self._commit)

    def _commit(self, connection: object) -> None:
        if self.cuts:
            return
        self.cuts += 1
        raw = connection.connection.driver_connection  # type: ignore[attr-defined]
        raw.execute("COMMIT")
        raw.execute("SELECT 1")  # so that the commit that follows is sent
        if self._on_the_way:  # the server says nothing about it
            with socket.socket(fileno=os.dup(raw.fileno())) as way:
                way.shutdown(socket.SHUT_RDWR)
        else:
            self._server.sql(f"SELECT pg_terminate_backend({raw.info.backend_pid})")


@pytest.mark.parametrize("on_the_way", [False, True])
def test_a_trial_whose_commit_was_not_heard_of_is_stored_once(
    postgresql: PostgreSQL, url: str, *, on_the_way: bool
) -> None:
    store = open_store(url, Patience(60.0))
    run = store.begin_run(RUN)
    cut = CutAfterCommit(store, postgresql, on_the_way=on_the_way)
    store.record(run, outcome(0))
    assert cut.cuts == 1
    assert store.trials(run) == [outcome(0)]


def test_a_run_whose_commit_was_not_heard_of_begins_once(postgresql: PostgreSQL, url: str) -> None:
    store = open_store(url, Patience(60.0))
    cut = CutAfterCommit(store, postgresql)
    run = store.begin_run(RUN)
    assert cut.cuts == 1
    assert [one.id for one in summaries(store)] == [run]
    found = store.run(run)
    assert found is not None
    assert found.facts == tuple(RUN.facts)


def test_another_trial_in_the_place_of_a_lost_one_is_no_success(
    postgresql: PostgreSQL, url: str
) -> None:
    """Another process resumed the run while this one had lost the server."""
    store = open_store(url, Patience(60.0))
    run = store.begin_run(RUN)
    open_store(url).record(run, outcome(0).model_copy(update={"started_at": 9.0}))
    CutAfterCommit(store, postgresql)
    store.record(run, outcome(1))
    with pytest.raises(EnvironmentFault, match="another process is resuming it too"):
        store.record(run, outcome(0))


def test_an_open_store_that_waits_for_nobody_fails_at_once(
    postgresql: PostgreSQL, url: str
) -> None:
    store = open_store(url)
    postgresql.stop()
    with pytest.raises(EnvironmentFault, match="results database `postgresql://httpdyno@/"):
        store.studies()
    with pytest.raises(EnvironmentFault) as caught:
        open_store(url)
    assert "\n" not in caught.value.message


def test_who_may_only_read_reads_and_is_told_so_on_writing(
    postgresql: PostgreSQL, database: str, url: str
) -> None:
    store = open_store(url)
    run = store.begin_run(RUN)
    store.record(run, outcome(0))
    if not postgresql.sql("SELECT 1 FROM pg_roles WHERE rolname = 'reader'"):
        postgresql.sql("CREATE ROLE reader LOGIN")
    postgresql.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", database)
    reader = open_store(postgresql.url(database, "reader"))
    assert reader.trials(run) == [outcome(0)]
    assert [one.study for one in summaries(reader)] == ["demo"]
    with pytest.raises(EnvironmentFault, match="permission denied") as caught:
        reader.begin_run(RUN)
    assert "IN SCHEMA public TO reader`" in (caught.value.hint or "")


def test_an_empty_database_whose_user_may_create_no_tables_is_one_sentence(
    postgresql: PostgreSQL, database: str
) -> None:
    if not postgresql.sql("SELECT 1 FROM pg_roles WHERE rolname = 'reader'"):
        postgresql.sql("CREATE ROLE reader LOGIN")
    with pytest.raises(EnvironmentFault, match="permission denied for schema public"):
        open_store(postgresql.url(database, "reader"))


def test_a_full_disk_is_one_sentence_and_loses_nothing(
    postgresql: PostgreSQL, database: str, url: str
) -> None:
    """The trigger raises the error that PostgreSQL raises when the disk is full."""
    store = open_store(url)
    run = store.begin_run(RUN)
    store.record(run, outcome(0))
    postgresql.sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;"
        "CREATE TRIGGER full_disk BEFORE INSERT ON trials EXECUTE FUNCTION full_disk()",
        database,
    )
    with pytest.raises(EnvironmentFault, match="the disk of its server is full") as caught:
        store.record(run, outcome(1))
    assert "free some disk space" in (caught.value.hint or "")
    assert store.trials(run) == [outcome(0)]


def test_a_wrong_password_is_one_sentence_that_does_not_show_it(
    postgresql: PostgreSQL, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for password, to_do in (("", "put the password into"), (":wr0ng", "check the user, and")):
        url = postgresql.url(database, f"locked{password}")
        with pytest.raises(EnvironmentFault, match=r"password") as caught:
            open_store(url)
        assert "wr0ng" not in str(caught.value)
        assert ".pgpass" in (caught.value.hint or "")
        assert to_do in (caught.value.hint or "")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with pytest.raises(EnvironmentFault, match="permission denied"):  # but connected
        open_store(postgresql.url(database, "locked"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("/bench", "/nothing"),
            r"its server has no database `nothing[0-9]*`\nhint: .*`createdb nothing",
        ),
        (
            ("httpdyno@", "nobody_of_that_name@"),
            r"its server has no user `nobody_of_that_name`\nhint: .*`createuser",
        ),
        (("host=", "host=/nowhere"), "no server has this socket"),
        (("@/", "@127.0.0.1:1/"), "nothing listens there"),
    ],
)
def test_a_server_or_database_that_is_not_there_is_one_sentence(
    url: str, change: tuple[str, str], said: str
) -> None:
    url = url.replace(*change)
    if "127.0.0.1" in url:
        url = url.partition("?")[0]
    with pytest.raises(EnvironmentFault, match=said) as caught:
        open_store(url)
    assert "\n" not in caught.value.message


def test_a_server_that_lets_nobody_in_names_the_file_that_decides_so(
    postgresql: PostgreSQL,
) -> None:
    with pytest.raises(EnvironmentFault, match="does not let this user in") as caught:
        open_store(postgresql.url("closed"))
    assert "pg_hba.conf" in (caught.value.hint or "")


def test_a_schema_that_is_not_there_is_to_be_created(
    postgresql: PostgreSQL, database: str, url: str
) -> None:
    own = f"{url}&options=-csearch_path%3Dhttpdyno"
    with pytest.raises(EnvironmentFault, match="it has no schema") as caught:
        open_store(own)
    assert "CREATE SCHEMA" in (caught.value.hint or "")
    postgresql.sql("CREATE SCHEMA httpdyno", database, "httpdyno")
    assert open_store(own).begin_run(RUN) == 1


def test_a_socket_for_the_user_of_the_same_name_says_so(
    postgresql: PostgreSQL, database: str
) -> None:
    with pytest.raises(EnvironmentFault, match="only for the system user") as caught:
        open_store(postgresql.url(database, "peer"))
    assert "@localhost/" in (caught.value.hint or "")


def test_a_server_without_tls_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            way, _ = listening.accept()
            with way:
                way.recv(8)
                way.sendall(b"N")

        thread = threading.Thread(target=refuse)
        thread.start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(EnvironmentFault, match="it has no TLS") as caught:
            open_store(f"postgresql://a@{address}/bench?sslmode=require")
        thread.join()
    assert "postgresql.conf" in (caught.value.hint or "")


def test_a_database_of_another_program_is_left_alone(
    postgresql: PostgreSQL, database: str, url: str
) -> None:
    postgresql.sql("CREATE TABLE runs (distance INTEGER)", database, "httpdyno")
    with pytest.raises(EnvironmentFault, match="its tables are not those of httpdyno") as caught:
        open_store(url)
    assert "createdb" in (caught.value.hint or "")
    tables = postgresql.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", database)
    assert tables == [("runs",)]


def test_a_database_without_utf_8_is_refused(postgresql: PostgreSQL, database: str) -> None:
    postgresql.sql(
        f"CREATE DATABASE latin_{database} OWNER httpdyno ENCODING LATIN1 LOCALE 'C'"
        " LOCALE_PROVIDER libc TEMPLATE template0"
    )
    with pytest.raises(EnvironmentFault, match="has the encoding LATIN1: expected UTF8"):
        open_store(postgresql.url(f"latin_{database}"))


def test_a_later_step_is_run_once_by_many_that_open_it_at_once(
    postgresql: PostgreSQL, database: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(url)
    run = store.begin_run(RUN)
    later = ("later", ("ALTER TABLE runs ADD COLUMN later TEXT",))
    monkeypatch.setattr(module, "STEPS", (*module.STEPS, later))
    errors: list[Exception] = []

    def opened() -> None:
        try:
            open_store(url)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=opened) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    rows = postgresql.sql("SELECT number FROM migrations ORDER BY number", database)
    assert rows == [(number,) for number in range(1, len(module.STEPS) + 1)]
    assert postgresql.sql(f"SELECT later FROM runs WHERE id = {run}", database) == [(None,)]


def test_a_waiting_migration_ends_in_one_sentence(
    postgresql: PostgreSQL, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpdyno.store.postgresql as settings

    monkeypatch.setattr(settings, "BUSY_S", 0.05)
    store = open_store(url)
    later = ("later", ("SELECT 1",))
    monkeypatch.setattr(module, "STEPS", (*module.STEPS, later))
    with store.transaction() as connection:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({settings.MIGRATION_LOCK})")
        with pytest.raises(EnvironmentFault, match="another process keeps it locked"):
            open_store(url)


def test_only_the_machine_that_began_a_run_finds_it_to_resume(url: str) -> None:
    store = open_store(url)
    ours = store.begin_run(replace(RUN, coordinator="us", host="ci-1"))
    theirs = store.begin_run(replace(RUN, coordinator="them", host="ci-2"))
    for found in (store.newest_unfinished("demo 1", "us"), store.newest("demo 1", "us")):
        assert found is not None
        assert (found.id, found.host) == (ours, "ci-1")
    newest = store.newest("demo 1")
    assert newest is not None
    assert newest.id == theirs
    assert store.newest_unfinished("demo 1", "somebody else") is None


def test_a_failure_with_a_nul_character_is_stored_readably(url: str) -> None:
    store = open_store(url)
    run = store.begin_run(RUN)
    failure = FailureRow(arm="a/1", stage="start", reason="it said \x00", log=None)
    store.record_preparation(run, "{}", ["a/1"], [failure])
    assert store.failures(run)[0].reason == "it said \\x00"

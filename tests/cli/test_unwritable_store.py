"""A store that its reader cannot write is read all the same; a full disk is named, and what can be
saved of a damaged store."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from stored_runs import nights, store_in, study

from .conftest import PROGRAM, environment

ORDINARY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Makes permissions count for root, too."""
FULL_DISK = """\
mkdir full && mount -t tmpfs -o size=4m small full || exit 99
cp "$HTTPDYNO_DATA"/results.sqlite "$HTTPDYNO_DATA"/*-wal full 2>&1
export HTTPDYNO_DATA=full
head -c 8000000 /dev/zero > "$HTTPDYNO_DATA/filling" 2>&1
exec "$@"
"""


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """The data folder of the program, with two runs; writable again in the end."""
    folder = tmp_path / "data"
    nights(store_in(folder), study(tmp_path), [4000, 4100])
    yield folder
    folder.chmod(0o755)


def asked(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program, run by a user for whom permissions count."""
    return run([*ordinary(), *PROGRAM, *arguments], data)


def ordinary() -> list[str]:
    """The words before a command for which permissions shall count."""
    if os.geteuid() != 0:
        return []
    if subprocess.run([*ORDINARY, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root reads and writes everything here: setpriv cannot take that away")
    return ORDINARY


def own(data: Path) -> dict[str, str]:
    folders = {"HTTPDYNO_DATA": str(data), "HTTPDYNO_STATE": str(data.parent / "state")}
    return environment() | folders


def run(words: list[str], data: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=data.parent,
        env=own(data),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("what", ["folder", "file", "both"])
def test_the_runs_of_a_read_only_store_are_listed(data: Path, what: str) -> None:
    if what != "folder":
        (data / "results.sqlite").chmod(0o444)
    if what != "file":
        data.chmod(0o555)
    before = sorted(data.iterdir())
    listed = asked(data, "runs", "list")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.count("20 valid") == 2
    assert sorted(data.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        ("runs", "show", "1"),
        ("runs", "export", "--all", "--to", "runs.json"),
        ("runs", "copy", "data/results.sqlite", "mine.sqlite"),
        ("history",),
        ("report", "nightly", "--out", "again", "--format", "json"),
        ("publish", "site"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_verb_that_reads_accepts_a_read_only_store(
    data: Path, words: tuple[str, ...]
) -> None:
    data.chmod(0o555)
    read = asked(data, *words)
    assert read.returncode == 0, read.stderr


def test_a_read_only_store_is_served(data: Path) -> None:
    data.chmod(0o555)
    words = [*ordinary(), *PROGRAM, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(words, env=own(data), stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+/", serving.stdout.readline())
            assert found is not None
            with urllib.request.urlopen(f"{found[0]}runs/1", timeout=60) as page:
                assert b"alpha/1-process" in page.read()
        finally:
            serving.kill()


def test_a_verb_that_writes_refuses_a_read_only_store(data: Path) -> None:
    (data / "results.sqlite").chmod(0o444)
    data.chmod(0o555)
    refused = asked(data, "runs", "forget", "1", "--yes")
    assert refused.returncode == 4
    assert "it is read-only" in refused.stderr
    assert asked(data, "runs", "list").stdout.count("nightly") == 2


def test_what_another_process_has_just_committed_is_read(data: Path) -> None:
    file = data / "results.sqlite"
    with closing(sqlite3.connect(file)) as writer:  # open, so that its log stays
        writer.execute("UPDATE runs SET study = 'renamed' WHERE id = 2")
        writer.commit()
        assert (data / "results.sqlite-wal").stat().st_size
        data.chmod(0o555)
        assert "renamed" in asked(data, "runs", "list").stdout


def test_a_log_that_cannot_be_read_without_writing_is_not_ignored(data: Path) -> None:
    with closing(sqlite3.connect(data / "results.sqlite")) as writer:
        writer.execute("UPDATE runs SET study = 'renamed' WHERE id = 2")
        writer.commit()
        copy = data.parent / "copy"
        copy.mkdir()
        for name in ("results.sqlite", "results.sqlite-wal"):
            shutil.copy(data / name, copy / name)
    copy.chmod(0o555)
    refused = asked(copy, "runs", "list")
    copy.chmod(0o755)
    assert refused.returncode == 4
    assert "it cannot be opened" in refused.stderr
    assert "hint: copy it and" in " ".join(refused.stderr.split())


def test_an_unreadable_store_says_permission_denied(data: Path) -> None:
    (data / "results.sqlite").chmod(0)
    refused = asked(data, "runs", "list")
    assert refused.returncode == 4
    assert "it cannot be opened: Permission denied" in refused.stderr


def test_a_read_only_store_without_the_tables_says_what_to_do(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with closing(sqlite3.connect(data / "results.sqlite")) as other:
        other.execute("CREATE TABLE distances (metres INTEGER)")
        other.commit()
    data.chmod(0o555)
    refused = asked(data, "runs", "list")
    data.chmod(0o755)
    assert refused.returncode == 4
    assert "is read-only, and lacks tables of this httpdyno" in refused.stderr
    assert "hint: copy it into a folder of your own" in refused.stderr


def on_a_full_disk(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = ["unshare", "--mount", "sh", "-c", FULL_DISK, "sh", *PROGRAM, *arguments]
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a small disk needs root and unshare")
    done = run(words, data)
    if done.returncode in (1, 99):
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    return done


def test_a_full_disk_is_named_by_a_verb_that_writes(data: Path) -> None:
    refused = on_a_full_disk(data, "runs", "forget", "1", "--yes")
    assert refused.returncode == 4
    assert "No space left on device" in refused.stderr
    assert "hint: free some disk space" in refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("runs", "list"),
        ("runs", "show", "1"),
        ("runs", "export", "--all", "--to", "runs.json"),
        ("history",),
        ("report", "nightly", "--out", "again", "--format", "json"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_the_runs_on_a_full_disk_are_read(data: Path, words: tuple[str, ...]) -> None:
    read = on_a_full_disk(data, *words)
    assert (read.returncode, read.stderr.count("error")) == (0, 0), read.stderr


def test_runs_that_are_only_in_the_log_of_a_full_disk_are_read(data: Path) -> None:
    with closing(sqlite3.connect(data / "results.sqlite")) as writer:
        writer.execute("UPDATE runs SET study = 'renamed' WHERE id = 2")
        writer.commit()
        listed = on_a_full_disk(data, "runs", "list")  # copies both files, as a crash leaves them
    assert "renamed" in listed.stdout, listed.stderr


def test_a_damaged_store_says_what_can_be_saved_and_it_can(data: Path) -> None:
    (data.parent / "results").mkdir()
    written = asked(data, "report", "nightly", "--out", "results/nightly", "--format", "json")
    assert written.returncode == 0, written.stderr
    file = data / "results.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    refused = asked(data, "runs", "list")
    said = " ".join(refused.stderr.split())
    assert refused.returncode == 4
    assert "it is damaged hint: move it away" in said
    assert "`httpdyno report FOLDER` reads the `result.json`" in said
    again = asked(data, "report", "results/nightly", "--format", "md,csv")
    assert again.returncode == 0, again.stderr
    assert "alpha/1-process" in (data.parent / "results/nightly/report.md").read_text()

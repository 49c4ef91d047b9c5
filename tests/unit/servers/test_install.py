"""An installation is made once, whole or not at all, and its failures say where the log is."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.servers import ServerFailure, find_installation, install
from httpdyno.servers.installation import debian, digest

from .conftest import APP, TOML, MakeServer

COUNTING_BUILD = """
[build]
command = ["{python}", "-c", "open('{prefix}/../builds', 'a').write('built ')"]
"""


def builds(prefix: Path) -> int:
    """The number of times the server was built."""
    return (prefix.parent / "builds").read_text(encoding="utf-8").count("built")


def test_an_installation_is_made_once_and_found_again(make_server: MakeServer) -> None:
    server = make_server(toml=TOML + COUNTING_BUILD)
    assert find_installation(server) is None
    first = install(server)
    second = install(server)
    assert (first.version, second.version) == ("1.2.3", "1.2.3")
    assert first.prefix == second.prefix
    assert builds(first.prefix) == 1
    assert (first.source / "app.py").read_text(encoding="utf-8") == APP
    assert find_installation(server) == second


def test_a_changed_file_is_another_installation(make_server: MakeServer) -> None:
    first = install(make_server())
    second = install(make_server(app=APP.replace("PONG", "PING")))
    assert first.prefix != second.prefix


def test_what_was_killed_half_way_is_made_again(make_server: MakeServer) -> None:
    server = make_server(toml=TOML + COUNTING_BUILD)
    done = install(server)
    (done.prefix / ".complete").unlink()
    (done.prefix / "half-made").touch()
    install(server)
    assert builds(done.prefix) == 2
    assert not (done.prefix / "half-made").exists()


def test_two_at_once_build_once(make_server: MakeServer) -> None:
    server = make_server(toml=TOML + COUNTING_BUILD)
    done = []
    both = [threading.Thread(target=lambda: done.append(install(server))) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(done) == 2
    assert builds(done[0].prefix) == 1


def test_a_dry_run_tells_the_commands_and_runs_nothing(
    make_server: MakeServer, tmp_path: Path
) -> None:
    told: list[str] = []
    install(make_server(toml=TOML + COUNTING_BUILD), dry_run=True, report=told.append)
    assert len(told) == 1
    assert told[0].endswith("'a').write('built ')")
    assert not (tmp_path / "cache").exists()


def test_a_tool_in_the_system_folders_is_found_without_them_on_path(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    done = install(make_server())
    assert "/usr/sbin" in done.environment()["PATH"].split(":")


def test_a_server_with_its_own_python_sees_only_that_one(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "here:/there")
    plain = install(make_server()).environment()
    assert plain["PYTHONPATH"] == f"{Path.cwd()}/here:/there"
    toml = TOML.replace('kind = "none"', 'kind = "pip"\nrequirements = "app.py"')
    own = install(make_server(toml=toml), dry_run=True).environment()
    assert "PYTHONPATH" not in own


def test_a_missing_tool_that_no_package_is_known_for_is_not_blamed_on_debian(
    make_server: MakeServer,
) -> None:
    toml = TOML.replace('kind = "none"', 'kind = "none"\ntools = ["no-such-tool"]')
    server = make_server(toml=toml)
    with pytest.raises(EnvironmentFault) as error:
        install(server)
    assert str(error.value) == (
        "`no-such-tool` not found on PATH: `mine` needs it\n"
        "hint: install it, or add its folder to PATH"
    )


def test_a_missing_tool_is_named_with_the_commands_that_install_it(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(debian._PACKAGES_OF_PROGRAMS, "no-such-tool", "tool-package")
    toml = TOML.replace('kind = "none"', 'kind = "none"\ntools = ["no-such-tool"]')
    server = make_server(toml=toml)
    with pytest.raises(EnvironmentFault) as error:
        install(server)
    assert error.value.hint == (
        f"`httpdyno servers install mine --server {server.folder}` or "
        "`sudo apt-get install -y --no-install-recommends tool-package`"
    )


def test_a_file_whose_name_is_no_text_is_part_of_the_server(make_server: MakeServer) -> None:
    server = make_server()
    name = os.fsdecode(b"na\xefve.py")
    (server.folder / name).write_text("one", encoding="utf-8")
    first = install(server)
    assert (first.source / name).read_text(encoding="utf-8") == "one"
    (server.folder / name).write_text("two", encoding="utf-8")
    assert install(server).prefix != first.prefix


def test_a_version_with_escape_sequences_reaches_no_terminal(make_server: MakeServer) -> None:
    server = make_server(toml=TOML.replace("mine 1.2.3", "1.2\\\\x1b[31m"))
    assert install(server).version == "1.2\\x1b[31m"


def test_a_failed_build_tells_its_last_words_and_its_log(make_server: MakeServer) -> None:
    toml = (
        TOML
        + '\n[build]\ncommand = ["{python}", "-c", "print(1); raise SystemExit(\'no luck\')"]\n'
    )
    server = make_server(toml=toml)
    with pytest.raises(ServerFailure) as error:
        install(server)
    assert error.value.message == "`mine` failed to build: no luck"
    assert (error.value.stage, error.value.exit_code) == ("build", 3)
    assert error.value.log.read_text(encoding="utf-8").endswith("1\nno luck\n")
    assert find_installation(server) is None


def test_a_package_that_does_not_exist_fails_the_installation(make_server: MakeServer) -> None:
    toml = TOML.replace('kind = "none"', 'kind = "pip"\nrequirements = "app.py"')
    with pytest.raises(ServerFailure) as error:
        install(make_server(app="./no-such-package.whl\n", toml=toml))
    assert error.value.stage == "install"
    assert "`mine` failed to install: ERROR:" in error.value.message


def test_a_version_command_that_fails_fails_the_installation(
    make_server: MakeServer,
) -> None:
    toml = TOML.replace("print('mine 1.2.3')", "raise SystemExit('who am I?')")
    with pytest.raises(ServerFailure) as error:
        install(make_server(toml=toml))
    assert error.value.message == "the version command of `mine` failed: who am I?"
    assert error.value.log.read_text(encoding="utf-8").endswith("who am I?\n")


def test_a_cache_that_cannot_be_written_is_told(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a-file").touch()
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "a-file"))
    with pytest.raises(EnvironmentFault) as error:
        install(make_server())
    assert "cannot be installed into" in error.value.message
    assert error.value.hint == "set `HTTPDYNO_CACHE` to another folder"


def test_a_folder_with_far_more_than_a_server_is_refused(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "MOST_FILES", 1)
    with pytest.raises(UsageError, match="is too large for a server's folder"):
        install(make_server())


def test_hidden_files_and_build_leavings_are_not_copied(make_server: MakeServer) -> None:
    server = make_server()
    for name in (".git", "__pycache__", "node_modules"):
        (server.folder / name).mkdir()
        (server.folder / name / "x").touch()
    done = install(server)
    assert sorted(entry.name for entry in done.source.iterdir()) == ["app.py", "server.toml"]


def test_the_marker_is_readable_json(make_server: MakeServer) -> None:
    done = install(make_server())
    assert json.loads((done.prefix / ".complete").read_text(encoding="utf-8")) == {
        "version": "1.2.3"
    }

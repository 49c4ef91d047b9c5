"""A server has the keys and the files of its families, and its own come first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from httpdyno.cli.completion.names import deployments
from httpdyno.errors import UsageError
from httpdyno.servers import install, load_catalogue, load_server
from httpdyno.servers.declaration import families
from httpdyno.servers.installation.digest import digest_of

from .conftest import APP

BASE = """\
language = "Python"

[version]
command = ["{python}", "-c", "print('1.2.3')"]

[[settings]]
what   = "backlog 1024"
why    = "default 5"
source = "https://example.org/base"
"""

THREADS = """\
families = ["base"]
language = "Threads"

[deployments.threads]
description = "one thread per connection"
command     = ["{python}", "app.py", "{port}"]
env         = { ONE = "base", TWO = "base" }
"""

OWN = """\
name     = "mine"
families = ["threads"]

[[settings]]
what   = "quiet"
why    = "default loud"
source = "https://example.org/own"

[deployments.threads]
env = { TWO = "own" }
"""

WriteFamily = Callable[[str, dict[str, str]], None]


@pytest.fixture
def write_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteFamily:
    """A function that writes a family, which servers of the test may name."""
    monkeypatch.setattr(families, "FAMILIES", tmp_path / "families")

    def write(name: str, files: dict[str, str]) -> None:
        folder = tmp_path / "families" / name
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def mine(tmp_path: Path, write_family: WriteFamily) -> Path:
    """The folder of a server with two families, one built on the other."""
    write_family("base", {"server.toml": BASE, "app.py": "raise SystemExit", "pages.py": "base"})
    write_family("threads", {"server.toml": THREADS, "pages.py": "threads"})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "mine" / "server.toml").write_text(OWN, encoding="utf-8")
    return tmp_path / "mine"


def test_tables_are_joined_settings_added_and_other_keys_replaced(mine: Path) -> None:
    server = load_server(mine)
    assert server.language == "Threads"
    assert [one.what for one in server.settings] == ["quiet", "backlog 1024"]
    threads = server.deployment("threads")
    assert threads.description == "one thread per connection"
    assert threads.env == {"ONE": "base", "TWO": "own"}


def test_a_setting_of_the_servers_own_replaces_that_of_a_family(mine: Path) -> None:
    file = mine / "server.toml"
    file.write_text(OWN.replace('"quiet"', '"backlog 1024"'), encoding="utf-8")
    (only,) = load_server(mine).settings
    assert only.why == "default loud"
    file.write_text(OWN.replace('"quiet"', '["quiet"]'), encoding="utf-8")
    with pytest.raises(UsageError, match=r"settings\.0\.what"):
        load_server(mine)


def test_the_files_of_families_lie_beside_the_servers_own_which_come_first(mine: Path) -> None:
    done = install(load_server(mine))
    assert done.version == "1.2.3"
    assert (done.source / "app.py").read_text(encoding="utf-8") == APP
    assert (done.source / "pages.py").read_text(encoding="utf-8") == "threads"
    assert (done.source / "server.toml").read_text(encoding="utf-8") == OWN


def test_a_changed_file_of_a_family_installs_its_servers_again(mine: Path) -> None:
    before = digest_of(load_server(mine))
    (mine.parent / "families" / "threads" / "pages.py").write_text("other", encoding="utf-8")
    assert digest_of(load_server(mine)) != before


def test_a_file_that_a_family_has_may_be_named(mine: Path) -> None:
    file = mine / "server.toml"
    file.write_text(f'{OWN}\n[files]\n"pages.py" = "{{run}}/pages.py"\n', encoding="utf-8")
    assert load_server(mine).files == {"pages.py": "{run}/pages.py"}


def test_an_unknown_family_is_told_with_its_line_and_the_nearest(mine: Path) -> None:
    file = mine / "server.toml"
    file.write_text(OWN.replace('"threads"]', '"thread", "../threads"]'), encoding="utf-8")
    with pytest.raises(UsageError) as error:
        load_server(mine)
    assert (
        f"{file}:2: `families`: `thread` (did you mean `threads`?), `../threads` (did you mean "
        "`threads`?) is not a family: expected some of base, threads"
    ) in error.value.message


def test_a_fault_in_a_servers_own_setting_has_its_line(mine: Path) -> None:
    file = mine / "server.toml"
    file.write_text(OWN.replace("https://", ""), encoding="utf-8")
    with pytest.raises(UsageError) as error:
        load_server(mine)
    assert error.value.message.startswith(f"{file}:7: `settings.0.source`")


def test_a_shell_completes_the_deployments_of_families() -> None:
    for server in load_catalogue():
        assert list(deployments(server.name)) == list(server.deployments)


@pytest.mark.parametrize("name", families.known_families())
def test_a_family_of_the_catalogue_has_a_server(name: str) -> None:
    assert any(families.FAMILIES / name in server.folders for server in load_catalogue())

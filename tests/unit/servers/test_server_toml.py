"""A `server.toml` is read whole, and each of its faults is told with its line."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.servers import (
    ServerFailure,
    conformance,
    examine,
    install,
    load_catalogue,
    load_server,
    start,
)
from httpdyno.servers.declaration.families import with_families
from httpdyno.servers.declaration.patterns import expand_patterns
from httpdyno.toml_lines import key_lines, line_of
from httpdyno.workloads import USUAL

from .conftest import TOML, MakeServer

MULTI = """
[deployments."{n}-workers"]
n           = [1, 4]
cores       = "n"
description = "{n} workers"
command     = ["serve", "--workers", "{n}"]
"""

SETTING = """
[[settings]]
what   = "backlog 1024"
why    = "default 5: a burst of connections would be refused"
source = "https://example.org/manual"
"""

ABSENT = """\
name        = "gone"
title       = "Gone"
language    = "C"
homepage    = "https://example.org"
licence     = "proprietary"
maintained  = false
concurrency = "unknown"
posts       = ["erlang-python-node-2011"]
unavailable = "it was never free, and is no longer sold"
"""


def faults(tmp_path: Path, text: str) -> list[str]:
    """The faults of a server.toml, each as `line: message`."""
    file = tmp_path / "server.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        load_server(file)
    return [line.removeprefix(f"{file}:") for line in error.value.message.splitlines()]


CASES = {
    "an unknown key, with the nearest": (
        TOML.replace("licence ", "license "),
        ["5: `license` is not a key of server.toml: did you mean `licence`?"],
    ),
    "a kind that does not exist": (
        TOML.replace('kind = "none"', 'kind = "brew"'),
        [
            "11: `install.kind` is `brew`: expected 'none', 'pip', 'npm', 'go', 'cargo', 'maven', "
            "'apt' or 'git'"
        ],
    ),
    "an unknown workload, with the nearest": (
        TOML.replace('["pong"]', '["pong", "bigtabel"]'),
        [
            "8: `workloads`: `bigtabel` (did you mean `bigtable`?) is not a workload: "
            "expected some of pong, hello, echo, file, bigtable, bigtable-2011, sum, json, "
            "plaintext, db, queries, fortunes, updates"
        ],
    ),
    "an unknown placeholder": (
        TOML.replace('"app.py", "{port}"', '"app.py", "{prot}"'),
        [
            "16: `deployments.plain`: `{prot}` is not a placeholder: expected {python} {prefix} "
            "{source} {host} {port} {files} {run} {cores} {user} {group} {certificate} {key}"
            " {database_url}"
        ],
    ),
    "a placeholder of a start in a command of the installation": (
        TOML.replace("\"print('mine 1.2.3')\"", '"{port}"'),
        [
            "14: `version.command`: `{port}` is not a placeholder: expected {python} {prefix} "
            "{source}"
        ],
    ),
    "a requirements file that is not there": (
        TOML.replace('kind = "none"', 'kind = "pip"\nrequirements = "wanted.txt"'),
        ["12: `wanted.txt` does not exist beside server.toml"],
    ),
    "pip without requirements": (
        TOML.replace('kind = "none"', 'kind = "pip"'),
        ['10: `install`: kind "pip" needs `requirements`, the name of a file of exact pins'],
    ),
    "a pattern without its numbers": (
        TOML + MULTI.replace("n           = [1, 4]", ""),
        [
            "16: `deployments`: deployment `{n}-workers` needs `n`, a list of whole numbers such "
            "as [1, 4]"
        ],
    ),
    "a post that is none": (
        TOML.replace("workloads ", 'posts = ["tornado-2012"]\nworkloads '),
        [
            "8: `posts.0` is `tornado-2012`: expected 'bigtable-2010', 'snap-2010', "
            "'erlang-python-node-2011', 'tornado-warp-yesod-2012' or 'tornado-vs-starlette-2019'"
        ],
    ),
    "a setting without its source, and a source that is no address": (
        TOML + SETTING.replace("source", "sauce") + SETTING.replace("https://", ""),
        [
            "25: `settings.0.source` is missing",
            "28: `settings.0.sauce` is not a key of server.toml: did you mean `source`?",
            "33: `settings.1.source` is `example.org/manual`: expected "
            "an address (https://…) or a manual page (man:nginx.8)",
        ],
    ),
    "an inability that no load asks for": (
        TOML + '\n[cannot]\npipelinin = "it answers one"\n',
        [
            "26: `cannot.pipelinin` is `pipelinin`: expected 'keep-alive', 'pipelining' or "
            "'http-1.0-keep-alive'"
        ],
    ),
    "an inability of a deployment without its reason": (
        TOML.replace("[ready]", 'cannot = { pipelining = "" }\n[ready]'),
        ["19: `deployments.plain.cannot.pipelining` is ``: expected some text"],
    ),
    "a package that no archive can have": (
        TOML.replace('kind = "none"', 'kind = "none"\npackages = ["nginx; true"]'),
        ["12: `install.packages.0` is `nginx; true`: expected the name of a Debian package"],
    ),
    "a variable that cannot be set": (
        TOML.replace('kind = "none"', 'kind = "none"\nneeds = { "ERL LIBS" = "beams" }'),
        ["12: `install.needs.ERL LIBS` is `ERL LIBS`: expected the name of a variable"],
    ),
    "apt without packages": (
        TOML.replace('kind = "none"', 'kind = "apt"'),
        ['10: `install`: kind "apt" needs `packages`, the Debian packages it comes in'],
    ),
    "maven without a build": (
        TOML.replace('kind = "none"', 'kind = "maven"'),
        ['1: kind "maven" needs `[build]` with a `command`'],
    ),
    "a cap that nothing fits under": (
        TOML + "\n[limits]\nmemory_mb = 1\n",
        ["26: `limits.memory_mb` is `1`: expected greater than or equal to 16"],
    ),
    "a deployment with a workload that its server has not": (
        TOML.replace("[ready]", 'workloads = ["hello"]\n[ready]'),
        ["1: deployment `plain`: `hello` is not in the server's `workloads`"],
    ),
    "an unavailable server that is installed all the same": (
        TOML.replace("workloads ", 'unavailable = "it is gone"\nworkloads '),
        [
            "9: `workloads` is not a key of an unavailable server",
            "11: `install` is not a key of an unavailable server",
            "14: `version` is not a key of an unavailable server",
            "17: `deployments` is not a key of an unavailable server",
            "20: `ready` is not a key of an unavailable server",
            "23: `stop` is not a key of an unavailable server",
        ],
    ),
}


MINIMAL = """\
name = "mine"

[deployments.plain]
command = ["{python}", "app.py", "{port}"]
"""


def test_a_users_own_server_needs_only_a_name_and_a_command(
    make_server: MakeServer, tmp_path: Path
) -> None:
    server = make_server(toml=MINIMAL)
    assert (server.title, server.language, server.maintained) == ("mine", "", None)
    assert server.workloads == USUAL
    installation = install(server)
    assert installation.version == ""
    with start(installation, "plain", cpus=None, log=tmp_path / "log") as running:
        assert running.exit_code is None
    assert examine(installation, "plain", tmp_path / "log").version == ""
    assert conformance(installation, "plain") is not None


def test_what_is_needed_to_start_a_server_is_required(tmp_path: Path) -> None:
    assert faults(tmp_path, "") == ["1: `deployments` is missing", "1: `name` is missing"]
    assert faults(tmp_path, 'name = "mine"\n[deployments.plain]\n') == [
        "2: `deployments.plain.command` is missing"
    ]


@pytest.mark.parametrize("name", load_catalogue().names())
def test_an_entry_of_the_catalogue_gives_all_of_its_metadata(name: str) -> None:
    folder = load_catalogue().get(name).folder
    given = with_families(tomllib.loads((folder / "server.toml").read_text(encoding="utf-8")))
    wanted = {"title", "language", "homepage", "licence", "maintained", "concurrency", "tier"}
    if "unavailable" not in given:
        wanted |= {"workloads", "install", "version"}
    assert wanted <= set(given)
    assert all(given[key] not in ("", None) for key in wanted)


@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_told_with_its_line(case: str, tmp_path: Path) -> None:
    text, expected = CASES[case]
    told = faults(tmp_path, text)
    assert told == expected


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    text = TOML.replace('kind = "none"', 'kind = "brew"').replace("grace_s = 30", "grace_s = -3")
    text = text.replace("maintained  = true", 'maintained = "perhaps"')
    lines = [int(line.partition(":")[0]) for line in faults(tmp_path, text)]
    assert lines == [6, 11, 23]


def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path) -> None:
    (told,) = faults(tmp_path, TOML.replace("maintained  = true", "maintained  = yes"))
    assert "is not TOML" in told
    assert "line 6" in told


@pytest.mark.parametrize(
    ("value", "why"), [("[" * 5000, "nested too deeply"), ("9" * 5000, "more than 4,300 digits")]
)
def test_a_value_that_python_cannot_read_is_a_fault(tmp_path: Path, value: str, why: str) -> None:
    (told,) = faults(tmp_path, f"x = {value}\n")
    assert why in told


def test_a_pattern_is_one_deployment_a_number(make_server: MakeServer) -> None:
    server = make_server(toml=TOML + MULTI)
    assert list(server.deployments) == ["plain", "1-workers", "4-workers"]
    four = server.deployment("4-workers")
    assert (four.cores, four.values, four.description) == (4, {"n": "4"}, "4 workers")


def test_a_pattern_counts_the_connections_it_serves_at_once(make_server: MakeServer) -> None:
    prefork = MULTI.replace("cores ", 'most_connections = "n"\ncores ')
    server = make_server(toml=TOML + prefork)
    assert server.deployment("4-workers").most_connections == 4
    assert server.deployment("plain").most_connections is None


def test_a_deployment_cannot_what_its_server_cannot_and_says_why_it_cannot_more(
    make_server: MakeServer,
) -> None:
    toml = TOML.replace("[ready]", 'cannot = { pipelining = "thin drops them" }\n[ready]')
    toml += '\n[cannot]\npipelining = "no"\nkeep-alive = "it closes"\n'
    server = make_server(toml=toml)
    assert server.cannot_of("plain") == {
        "pipelining": "thin drops them",
        "keep-alive": "it closes",
    }


def test_a_deployment_answers_its_own_workloads_or_all_of_its_server(
    make_server: MakeServer,
) -> None:
    toml = TOML.replace('["pong"]', '["pong", "hello"]')
    toml = toml.replace("[ready]", 'workloads = ["hello"]\n[ready]') + MULTI
    server = make_server(toml=toml)
    assert server.workloads_of("plain") == ("hello",)
    assert server.workloads_of("4-workers") == ("pong", "hello")


def test_an_unavailable_server_is_a_row_and_every_use_of_it_says_why(
    make_server: MakeServer,
) -> None:
    gone = make_server(toml=ABSENT, name="gone")
    catalogue = load_catalogue([gone.folder])
    assert catalogue.get("gone").unavailable == "it was never free, and is no longer sold"
    said = "`gone` is unavailable: it was never free, and is no longer sold"
    with pytest.raises(ServerFailure) as failure:
        install(gone)
    assert (failure.value.message, failure.value.stage) == (said, "install")
    with pytest.raises(UsageError, match=said):
        gone.deployment("plain")


def test_a_whole_declaration_is_read(make_server: MakeServer) -> None:
    toml = TOML.replace("workloads ", 'posts = ["snap-2010"]\ntier = "niche"\nworkloads ') + SETTING
    toml = toml.replace(
        'kind = "none"',
        'kind = "none"\nunpack = ["rabbitmq-server"]\nneeds = { ERL_LIBS = "the beams" }',
    )
    server = make_server(toml=toml + "\n[limits]\nmemory_mb = 512\n")
    assert (server.posts, server.tier) == (("snap-2010",), "niche")
    assert server.settings[0].what == "backlog 1024"
    assert server.install.unpack == ("rabbitmq-server",)
    assert server.install.needs == {"ERL_LIBS": "the beams"}
    assert server.limits.memory_mb == 512


def test_deployments_without_a_pattern_are_left_alone() -> None:
    plain = {"plain": {"command": ["x"]}}
    assert expand_patterns(plain) == plain


def test_an_unknown_deployment_is_told_with_the_known_ones_and_the_nearest(
    make_server: MakeServer,
) -> None:
    with pytest.raises(UsageError) as error:
        make_server().deployment("plian")
    assert str(error.value) == (
        "`plian` is not a deployment of `mine`: expected `plain`\nhint: did you mean `plain`?"
    )


def test_a_users_own_server_joins_the_catalogue_and_wins_over_a_namesake(
    make_server: MakeServer,
) -> None:
    mine = make_server()
    other = make_server(toml=TOML.replace('"mine"', '"nginx"'), name="other")
    catalogue = load_catalogue([mine.folder / "server.toml", other.folder])
    assert catalogue.get("mine").folder == mine.folder
    assert catalogue.get("nginx").folder == other.folder


def test_an_unknown_server_is_told_with_the_nearest_and_how_to_give_ones_own() -> None:
    with pytest.raises(UsageError) as error:
        load_catalogue().get("tornada")
    assert re.fullmatch(
        r"`tornada` is not one of the \d+ servers of the catalogue: did you mean `tornado`\?",
        error.value.message,
    )
    assert error.value.hint == (
        "`httpdyno servers list` shows them; `--server FILE` adds one of your own"
    )


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"does not exist: expected a server\.toml"):
        load_catalogue([tmp_path / "none" / "server.toml"])


def test_what_is_no_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for place in (tmp_path / "fifo", Path("/dev/zero")):
        with pytest.raises(UsageError, match=r"is not a file: expected a server\.toml"):
            load_server(place)


def test_a_byte_order_mark_is_no_fault(make_server: MakeServer) -> None:
    assert make_server(toml="\ufeff" + TOML).name == "mine"


def test_a_text_with_escape_sequences_reaches_no_terminal(make_server: MakeServer) -> None:
    title = make_server(toml=TOML.replace('"Mine"', '"Mine \\u001b[31m"')).title
    assert title == "Mine \\x1b[31m"


def test_lines_are_found_in_quoted_tables_and_dotted_keys() -> None:
    lines = key_lines('[a."b c"]\nd.e = 1\n# f = 2\n[[g]]\nh = [\n  1,\n]\n[[g]]\nh = 1\n')
    assert lines == {
        ("a",): 1,
        ("a", "b c"): 1,
        ("a", "b c", "d", "e"): 2,
        ("g",): 4,
        ("g", 0): 4,
        ("g", 0, "h"): 5,
        ("g", 1): 8,
        ("g", 1, "h"): 9,
    }
    assert line_of(lines, ("g", 0, "h", 0)) == 5
    assert line_of(lines, ("unknown", "key")) == 1

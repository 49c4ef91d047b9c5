"""A `server.toml` is read whole, and each of its faults is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.servers import load_catalogue, load_server
from httpdyno.servers.server import expand_patterns
from httpdyno.servers.toml_lines import line_of, lines_of_keys

from .conftest import TOML, MakeServer

MULTI = """
[deployments."{n}-workers"]
n           = [1, 4]
cores       = "n"
description = "{n} workers"
command     = ["serve", "--workers", "{n}"]
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
        [
            "1: `licence` is missing",
            "5: `license` is not a key of server.toml: did you mean `licence`?",
        ],
    ),
    "a kind that does not exist": (
        TOML.replace('kind = "none"', 'kind = "brew"'),
        ["11: `install.kind` is `brew`: expected 'none', 'pip', 'npm', 'go', 'cargo' or 'apt'"],
    ),
    "an unknown workload, with the nearest": (
        TOML.replace('["pong"]', '["pong", "bigtabel"]'),
        [
            "8: `workloads`: `bigtabel` (did you mean `bigtable`?) is not a workload: "
            "expected some of pong, hello, echo, file, bigtable"
        ],
    ),
    "an unknown placeholder": (
        TOML.replace('"app.py", "{port}"', '"app.py", "{prot}"'),
        [
            "16: `deployments.plain`: `{prot}` is not a placeholder: expected {python} {prefix} "
            "{source} {host} {port} {files} {run} {cores} {user} {group}"
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
}


@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_told_with_its_line(case: str, tmp_path: Path) -> None:
    text, expected = CASES[case]
    told = faults(tmp_path, text)
    assert told == expected


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    text = TOML.replace('kind = "none"', 'kind = "brew"').replace("grace_s = 3", "grace_s = -3")
    text = text.replace("maintained  = true", 'maintained = "perhaps"')
    lines = [int(line.partition(":")[0]) for line in faults(tmp_path, text)]
    assert lines == [6, 11, 23]


def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path) -> None:
    (told,) = faults(tmp_path, TOML.replace("maintained  = true", "maintained  = yes"))
    assert "is not TOML" in told
    assert "line 6" in told


def test_a_pattern_is_one_deployment_a_number(make_server: MakeServer) -> None:
    server = make_server(toml=TOML + MULTI)
    assert list(server.deployments) == ["plain", "1-workers", "4-workers"]
    four = server.deployment("4-workers")
    assert (four.cores, four.values, four.description) == (4, {"n": "4"}, "4 workers")


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


def test_an_unknown_server_is_told_with_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(UsageError) as error:
        load_catalogue().get("tornada")
    assert "`tornada` is not a server of the catalogue: expected `go`" in error.value.message
    assert error.value.hint == "did you mean `tornado`?"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"does not exist: expected a server\.toml"):
        load_catalogue([tmp_path / "none" / "server.toml"])


def test_lines_are_found_in_quoted_tables_and_dotted_keys() -> None:
    lines = lines_of_keys('[a."b c"]\nd.e = 1\n# f = 2\n[[g]]\nh = [\n  1,\n]\n')
    assert lines == {
        ("a",): 1,
        ("a", "b c"): 1,
        ("a", "b c", "d", "e"): 2,
        ("g",): 4,
        ("g", "h"): 5,
    }
    assert line_of(lines, ("g", "h", "0")) == 5
    assert line_of(lines, ("unknown", "key")) == 1

"""`httpdyno capacity`: its flags become a study, and its faults are told at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno import warm_up
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.main import run
from httpdyno.errors import ExitCode, UsageError
from httpdyno.servers import load_catalogue
from httpdyno.servers.subjects import subject
from small_server import write_server


def dry(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["capacity", *arguments, "--dry-run"])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_an_arm_of_the_catalogue_needs_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = dry(capsys, "reference/1-thread", "--limit", "p99<20ms", "--for", "3000")
    assert code == ExitCode.OK, err
    assert 'limits = ["p99<20ms"]' in out
    assert "for_rate = 3000.0" in out
    assert "11 trials, about " in out


def test_each_verb_has_a_warm_up_of_its_own_that_a_flag_replaces(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = dry(capsys, "reference", "--limit", "p99<20ms")
    assert (code, f"warm_up = {warm_up.CAPACITY_S}" in out) == (ExitCode.OK, True), err
    _, out, _ = dry(capsys, "reference", "--limit", "p99<20ms", "--warm-up", "0")
    assert "warm_up = 0.0" in out
    plan = plan_of(LoadFlags(url="http://h/"), Faults("help"))
    assert plan.warm_up_s == warm_up.LOAD_S
    assert plan_of(LoadFlags(url="http://h/", warm_up="2s"), Faults("help")).warm_up_s == 2


def test_a_url_alone_is_that_of_its_flag(capsys: pytest.CaptureFixture[str]) -> None:
    limit = ("--limit", "p99<20ms")
    code, named, err = dry(capsys, "--url", "http://127.0.0.1:3000/a?b&c", *limit)
    assert code == ExitCode.OK, err
    _, alone, _ = dry(capsys, "http://127.0.0.1:3000/a?b&c", *limit)
    assert alone == named


def test_a_server_without_a_deployment_gets_its_first(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = dry(capsys, "reference", "--limit", "p99<20ms")
    assert code == ExitCode.OK, err
    assert 'deployments = ["1-thread"]' in out


def test_a_server_of_ones_own_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_server(tmp_path, "mine")
    for arm in (str(file), f"{file}:1-process", str(file.parent)):
        code, out, err = dry(capsys, arm, "--limit", "p50<5ms", "--limit", "errors<0.1%")
        assert code == ExitCode.OK, err
        assert "arm mine/1-process" in out


def test_a_deployment_of_a_file_stands_behind_a_colon_as_in_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_server(tmp_path, "mine")
    code, _, err = dry(capsys, f"{file}/1-process", "--limit", "p99<20ms")
    assert code == ExitCode.USAGE
    assert f"`{file}/1-process` does not exist: expected a colon before the deployment" in err
    assert f"hint: did you mean `{file}:1-process`?" in err
    with pytest.raises(UsageError, match="expected a colon before the deployment"):
        subject(f"{file}/1-process", load_catalogue(), tmp_path)
    _, _, err = dry(capsys, f"{file}:2-process", "--limit", "p99<20ms")
    assert "`2-process` is not a deployment of `mine`: expected `1-process`" in err
    _, _, err = dry(capsys, f"{file}:", "--limit", "p99<20ms")
    assert f"`{file}:`: expected a name after the colon, or none" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--limit", "p99<20ms"], "no server is given: expected arms"),
        (["reference"], "`--limit` is missing"),
        (
            ["--url", "http://x/", "--path", "/a", "--limit", "p99<20ms"],
            "`--path` and `--url` exclude each other: a URL has its own path",
        ),
        (["--command", "a && b", "--limit", "p99<20ms"], "`--command` has `&&`, but runs without"),
        (["reference", "--url", "http://x/", "--limit", "p99<20ms"], "arms and `--url` exclude"),
        (
            ["reference", "--limit", "p99<20"],
            "`20` cannot be the limit: expected a time such as `20ms`\n",
        ),
        (["reference", "--limit", "p99>20ms"], "p99<20ms"),
        (["reference", "--limit", "p99<20ms", "--restarts", "0"], "`--restarts 0`"),
        (["reference", "--limit", "p99<20ms", "--for", "many"], "expected a rate per second"),
        (["reference", "--limit", "p99<20ms", "--workload", "none"], "`--workload none`"),
        (["my-reference", "--limit", "p99<20ms"], "did you mean `reference`"),
        (["ngin", "--limit", "p99<20ms"], "named by the path of its server.toml"),
        (["zeus", "--limit", "p99<20ms"], "`zeus` is unavailable: a commercial product"),
        (["cmd:./a {port}", "--limit", "p99<20ms"], "hint: use `--command './a {port}'`"),
        (["http://u:PW@h", "--limit", "p99<20ms"], "`--url` does not take it: expected no user or"),
        (["unix:///x", "--limit", "p99<20ms"], "`--url` does not take it: expected a URL such as"),
        (["ftp://x", "--limit", "p99<20ms"], "`--url` does not take it: expected a URL such as"),
        (["http://", "--limit", "p99<20ms"], "`--url` does not take it: expected a host, and a p"),
        (["http://h/a?b&c", "go", "--limit", "p99<20ms"], "hint: use `--url 'http://h/a?b&c'`"),
        (["cmd:", "--limit", "p99<20ms"], "`cmd` is empty: expected a command"),
        (["cmd:'", "--limit", "p99<20ms"], "`cmd` is `'`: no closing quotation"),
        (["git:nope", "--limit", "p99<20ms"], "`git:nope` is a revision: expected the name of"),
        (["e.json:a", "--limit", "p99<20ms"], "`e.json:a` is a result: expected the name of a"),
        (["reference/9-threads", "--limit", "p99<20ms"], "expected `1-thread`"),
        (["./no/server.toml", "--limit", "p99<20ms"], "no/server.toml` does not exist"),
    ],
)
def test_a_fault_says_what_was_expected(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = dry(capsys, *arguments)
    assert code != ExitCode.OK
    assert told in err


def test_a_server_of_ones_own_is_a_command_or_a_url(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = dry(capsys, "--command", "./serve {port}", "--limit", "p99<20ms")
    assert code == ExitCode.OK, err
    assert 'start = "./serve {port}"' in out
    code, out, err = dry(
        capsys, "--url", "http://127.0.0.1:3000/items?page=2", "--limit", "p99<20ms"
    )
    assert code == ExitCode.OK, err
    assert 'url = "http://127.0.0.1:3000"' in out
    assert 'path = "/items?page=2"' in out


def test_all_faults_of_a_command_are_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = dry(capsys, "--limit", "fast", "--restarts", "x", "--arrivals", "often")
    assert err.startswith("error: 4 problems")


def test_a_command_without_a_port_gets_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = dry(capsys, "--command", "./serve 8080", "--limit", "p99<20ms")
    assert code == ExitCode.OK
    assert "warning: `--command` is `./serve 8080`, without `{port}`" in err
    _, _, err = dry(capsys, "--command", "./serve {port}", "--limit", "p99<20ms")
    assert "warning" not in err


def test_a_hint_at_an_unknown_server_names_no_flag_of_another_verb(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = dry(capsys, "ngin", "--limit", "p99<20ms")
    assert code == ExitCode.USAGE
    assert "did you mean `nginx`?" in err
    assert "a server of your own is named by the path of its server.toml" in err
    assert "--server" not in err

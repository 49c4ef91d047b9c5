"""Arms without a `server.toml`: their names, and the faults between their keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.plan import Plan
from httpdyno.run import catalogue_of, read_study
from httpdyno.running.documents import study_document
from httpdyno.servers import load_catalogue
from httpdyno.study import ArmGroup, Study, narrow

LOAD = '[loads.one]\nkind = "closed"\nduration = 1\n'
TWO = """\
title = "Own"
aa_control = true
baseline = "My app"
workload = "hello"
[[arms]]
name = "My app"
start = "serve --port {port}"
[[arms]]
name = "other"
url = "https://127.0.0.1:8443"
insecure = true
[[arms]]
server = "tornado"
deployments = ["1-process"]
"""


def read(folder: Path, text: str) -> Study:
    file = folder / "own.toml"
    file.write_text(text + LOAD, encoding="utf-8")
    return read_study(file, load_catalogue())


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(folder, text)
    return [line.replace(f"{folder}/", "") for line in caught.value.message.splitlines()]


def test_an_own_arm_is_called_by_its_name_alone(tmp_path: Path) -> None:
    study = read(tmp_path, TWO)
    assert [arm.name for arm in Plan(study).arms] == [
        "My app",
        "My app (A/A)",
        "other",
        "tornado/1-process",
    ]
    catalogue = catalogue_of(study, ())
    assert catalogue.get("my-app").title == "My app"
    assert catalogue.get("my-app").folder == tmp_path
    target = catalogue.get("other").running_at
    assert target is not None
    assert (target.host, target.port) == ("127.0.0.1", 8443)
    assert target.tls is not None
    assert target.tls.insecure
    assert len(Plan(study).trials) == 10 * 4
    assert [arm.name for arm in Plan(narrow(study, only=["other"])).arms][:1] == ["other"]


def test_an_own_arm_survives_the_store(tmp_path: Path) -> None:
    text = TWO.replace('baseline = "My app"\n', "")
    study = read(tmp_path, text + 'workload = "pong"\n')
    again = Study.model_validate_json(study_document(study))
    assert again.arms == study.arms
    assert [arm.name for arm in Plan(again).arms] == [arm.name for arm in Plan(study).arms]


def test_credentials_in_commands_variables_and_notes_are_not_stored(tmp_path: Path) -> None:
    study = read(
        tmp_path,
        """\
title = "Own"
notes = ["copied from https://me:noteS3cret@h/x"]
# start = "serve --password=oldS3cret"
[[arms]]
name  = "mine"
start = 'serve --port {port} --password="cmdS3cret" --db-token tokS3cret'
build = "fetch mysql://me:buildS3cret@h/x\\tnow"
env   = { API_TOKEN = "envS3cret", DATABASE_URL = "postgres://u:dbS3cret@h/x", MODE = "fast" }
""",
    )
    (arm,) = study.arms
    facts = " ".join(arm.start_facts.values())
    for stored in (study.text, study_document(study), facts):
        assert "S3cret" not in stored
        assert "serve --port {port} --password=*** --db-token ***" in stored
        assert "postgres://u:***@h/x" in stored
        assert "fast" in stored
    assert arm.env["DATABASE_URL"] == "postgres://u:dbS3cret@h/x"
    assert arm.start is not None
    assert "cmdS3cret" in arm.start
    again = Study.model_validate_json(study_document(study))
    assert again.notes == ("copied from https://***@h/x",)
    assert read(tmp_path, study.text.removesuffix(LOAD)).arms == again.arms


def test_an_arm_made_in_a_program_needs_only_its_name_and_command() -> None:
    arm = ArmGroup(name="before", start="serve {port}", cwd="/tmp")
    assert (arm.server, arm.deployments, arm.own_kind) == ("before", ("command",), "command")
    assert arm.model_dump(exclude_defaults=True) == {
        "start": "serve {port}",
        "cwd": "/tmp",
        "server": "before",
        "deployments": ("command",),
        "name": "before",
    }


@pytest.mark.parametrize(
    ("arm", "told"),
    [
        ('name = "a"', "2: `server` is missing in [[arms]]: expected a name, `url` or `start`"),
        ('server = "tornado"', "2: `deployments` is missing in [[arms]]: expected a list of names"),
        ('start = "x"', "2: `name` is missing in [[arms]]: expected a name for the arm"),
        (
            'name = "a"\nurl = "http://a"\nstart = "x"',
            "5: `url` and `start` exclude each other: expected one of them",
        ),
        (
            'name = "a"\nurl = "http://a"\nready = "/"',
            "5: `ready` applies only to an arm with `start`",
        ),
        (
            'name = "a"\nurl = "http://a"\ninsecure = true',
            "5: `insecure` applies only to an arm with an `https` URL",
        ),
        (
            'name = "a"\nstart = "x"\ndeployments = ["b"]',
            "5: `deployments` applies only to an arm with `server`",
        ),
        (
            'name = "a"\nstart = "x"\ncores = "most"',
            '5: `cores` is `"most"`: expected a whole number from 1 to 4,096, or "all"',
        ),
        (
            'name = "a"\nstart = "x && y"',
            "4: `start` has `&&`, but runs without a shell: expected one command, or `sh -c '…'`",
        ),
        (
            'name = "a"\nstart = "A=b serve"',
            "4: `start` begins with `A=b`, but runs without a shell",
        ),
        ('name = "a"\nstart = "serve \'a"', "4: `start` is `serve 'a`: no closing quotation"),
        ('name = "a"\nstart = "serve {prot}"', "2: `a`: `{prot}` is not a placeholder: expected"),
        (
            'name = "a"\nstart = "serve {key}"',
            "2: `a`: `{certificate}` and `{key}` need `tls = true`",
        ),
        (
            'name = "a"\nstart = "serve"\ntls = true',
            "5: `tls` is true, but nothing tells the server its certificate",
        ),
        ('name = "a"\nstart = "serve"\ncwd = "no"', "5: `cwd` of `a` is"),
        ('name = "a"\nurl = "ftp://a"', "4: `url` is `ftp://a`: expected a URL such as"),
        ('name = "a"\nurl = "http://a/b"', "4: `url` has the path `/b`: expected only scheme"),
        (
            'name = "a"\nurl = "https://a"\nca = "no.pem"',
            "5: `ca` is `no.pem`: expected a file in PEM, relative to the study",
        ),
        (
            'name = "Tornado"\nurl = "http://a"\n[[arms]]\nserver = "tornado"\n'
            'deployments = ["1-process"]',
            "6: another arm has a server called `tornado` too: expected another `name`",
        ),
    ],
)
def test_a_fault_of_an_own_arm_is_told_with_its_line(arm: str, told: str, tmp_path: Path) -> None:
    found = faults(tmp_path, f'title = "Own"\n[[arms]]\n{arm}\n')
    assert any(one.startswith(f"own.toml:{told}") for one in found), found


def test_the_only_arm_with_a_fault_is_not_said_to_be_missing(tmp_path: Path) -> None:
    told = faults(tmp_path, 'title = "Own"\n[[arms]]\nname = "a"\nurl = "http://a"\nredy = "/"\n')
    assert told == ["own.toml:5: `redy` is not a key of [[arms]]: did you mean `ready`?"]


def test_one_server_may_have_two_workloads(tmp_path: Path) -> None:
    arm = '[[arms]]\nname = "a"\nurl = "http://a"\nworkload = "{}"\n'
    study = read(tmp_path, 'title = "Own"\n' + arm.format("hello") + arm.format("pong"))
    assert [one.name for one in Plan(study).arms] == ["a hello", "a pong"]

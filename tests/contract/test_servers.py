"""Every server of the catalogue: installed, started in each deployment, checked, ended whole.

They are installed into the user's own cache, once for each content of their folders.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from time import sleep

import pytest
from git_repository import Repository
from httpdyno.errors import EnvironmentFault
from httpdyno.host.pinning import available
from httpdyno.running.beside import with_world
from httpdyno.servers import (
    Installation,
    Server,
    check_workloads,
    install,
    load_catalogue,
    load_server,
    run_probes,
    start,
)
from httpdyno.servers.check import probes
from httpdyno.servers.process.port import is_free
from httpdyno.servers.process.processes import Leader, living_members, process
from httpdyno.workloads import get

CATALOGUE = load_catalogue()
PROVEN = ("go", "nghttpd", "nginx", "node", "reference", "starlette", "tornado")
"""One of each kind of installation; `make catalogue` proves every server of the catalogue."""
GRPC = ("grpc-go", "grpcio", "tonic")
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "add-a-server.md"
EVERY = [
    (server.name, deployment)
    for server in map(CATALOGUE.get, PROVEN)
    for deployment in server.deployments
]
PASSED_PROBES = (
    "keep-alive",
    "pipelining, 2",
    "pipelining, 10",
    "404",
    "request in single bytes",
)


@pytest.fixture(autouse=True)
def own_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(probes, "TIMEOUT_S", 60.0)


def installation_of(server: Server) -> Installation:
    """The server, installed; skips, with the reason, where a tool is missing.

    It has longer to become ready than its `server.toml` gives it, for a busy machine.
    """
    try:
        done = install(server)
    except EnvironmentFault as fault:
        pytest.skip(str(fault))
    patient = server.ready.model_copy(update={"timeout_s": 300})
    return replace(done, server=server.model_copy(update={"ready": patient}))


def fewest_processes(name: str, deployment: str) -> int:
    """The number of processes in the name of a deployment, where it is one."""
    number = re.match(r"\d+", deployment)
    counts = number and name != "reference" and "core" not in deployment
    return int(number[0]) if number and counts else 1


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PROVEN)
def test_a_server_installs_and_tells_its_version(name: str) -> None:
    assert re.match(r"\d+\.\d+", installation_of(CATALOGUE.get(name)).version)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "deployment"), EVERY)
def test_a_deployment_answers_every_workload_and_ends_whole(
    name: str, deployment: str, tmp_path: Path
) -> None:
    server = CATALOGUE.get(name)
    asked = [get(workload) for workload in server.workloads_of(deployment)]
    installation = installation_of(server)
    cpus = available()[:1]
    with (
        with_world(installation, deployment, tmp_path / "db.log", print) as serving,
        start(serving, deployment, cpus=cpus, log=tmp_path / "log") as running,
    ):
        first = process(running.pid)
        assert first is not None
        at = running.target
        rows = [
            row
            for http in server.deployment(deployment).http
            for row in check_workloads(at.host, at.port, asked, target=at, http=http)
        ]
        usage = running.usage_meter().snapshot()
        while usage.processes < fewest_processes(name, deployment):  # a slow machine forks slowly
            assert running.exit_code is None
            sleep(0.05)
            usage = running.usage_meter().snapshot()
    faults = [f"HTTP/{row.http} {row.exchange.path}: {row.detail}" for row in rows if not row.ok]
    assert not faults
    assert usage.rss_bytes > 0
    assert not living_members(Leader(running.pid, first.started, "none"))
    assert is_free(running.port)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [name for name in PROVEN if name != "nghttpd"])
def test_a_server_speaks_http_as_the_loads_need_it(name: str, tmp_path: Path) -> None:
    server = CATALOGUE.get(name)
    deployment = next(iter(server.deployments))
    with start(installation_of(server), deployment, cpus=None, log=tmp_path / "log") as running:
        rows = {row.name: row for row in run_probes(running.host, running.port)}
    assert not [rows[name] for name in PASSED_PROBES if rows[name].answer != "yes"]
    assert rows["HTTP/1.0"].answer != "no"


@pytest.mark.parametrize("name", CATALOGUE.names())
def test_a_server_of_the_catalogue_answers_the_small_pages_and_pins_what_it_installs(
    name: str,
) -> None:
    server = CATALOGUE.get(name)
    # nghttpd gives files without an extension no Content-Type; servers of gRPC have no pages.
    others = {"nghttpd": {"file"}, **{one: {"sum"} for one in GRPC}}
    small = others.get(name, {"pong", "hello"})
    assert server.unavailable or small <= set(server.workloads)
    if server.install.requirements:
        text = (server.folder / server.install.requirements).read_text(encoding="utf-8")
        pins = re.findall(r"^[a-z0-9-]+(.*?)(?=^[a-z]|\Z)", text, re.MULTILINE | re.DOTALL)
        assert pins
        assert all(pin.startswith("==") and "--hash=sha256:" in pin for pin in pins)
        assert "://" not in text
        commands = [one.command for one in server.deployments.values() if one.command[1] == "-m"]
        assert all(f"\n{command[2]}==" in f"\n{text}" for command in commands)


def test_nginx_writes_one_line_a_request_where_the_tests_can_count_them(tmp_path: Path) -> None:
    installation = installation_of(CATALOGUE.get("nginx"))
    with start(installation, "1-worker-logged", cpus=None, log=tmp_path / "log") as running:
        check_workloads(running.host, running.port, [get("pong"), get("file")])
        running.stop(keep_run_folder=True)
    lines = (running.run_folder / "access.log").read_text(encoding="utf-8").splitlines()
    shutil.rmtree(running.run_folder)
    asked = [line.split('"')[1] for line in lines]
    assert asked[-2:] == ["GET /pong HTTP/1.1", "GET /file.png HTTP/1.1"]
    # On a busy machine, the first question whether it is ready may be asked again.
    assert set(asked[:-2]) == {"GET /pong HTTP/1.1"}


def test_the_server_of_the_guide_works_as_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))
    guide = GUIDE.read_text(encoding="utf-8")
    for name, language in (("server.toml", "toml"), ("app.py", "python")):
        block = re.search(rf"^```{language}\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
        assert block is not None
        (tmp_path / name).write_text(block[1], encoding="utf-8")
    (tmp_path / "mine").mkdir()
    for name in ("server.toml", "app.py"):
        (tmp_path / name).rename(tmp_path / "mine" / name)
    server = load_server(tmp_path / "mine" / "server.toml")
    with start(install(server), "threads", cpus=None, log=tmp_path / "log") as running:
        asked = [get(name) for name in server.workloads]
        rows = check_workloads(running.host, running.port, asked)
        answers = {row.name: row.answer for row in run_probes(running.host, running.port)}
    assert not [row.detail for row in rows if not row.ok]
    assert answers["keep-alive"] == "yes"


@pytest.mark.timeout(600)
def test_the_framework_of_the_guide_needs_no_more_than_the_guide_shows(tmp_path: Path) -> None:
    section = GUIDE.read_text(encoding="utf-8").partition("## Families")[2].partition("\n## ")[0]
    files = (("server.toml", "toml"), ("app.py", "python"), ("requirements.in", "text"))
    for name, language in files:
        block = re.search(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        assert block is not None
        (tmp_path / name).write_text(block[1], encoding="utf-8")
    # uv adds the versions and the hashes.
    shutil.copy(tmp_path / "requirements.in", tmp_path / "requirements.txt")
    done = installation_of(load_server(tmp_path))
    server = done.server
    with start(done, server.default_deployment, cpus=None, log=tmp_path / "log") as running:
        rows = check_workloads(running.host, running.port, [get(one) for one in server.workloads])
    assert re.match(r"\d+\.\d+.* \(gunicorn \d", done.version)
    assert not [f"{row.exchange.path}: {row.detail}" for row in rows if not row.ok]


def test_the_server_from_git_of_the_guide_works_from_a_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    guide = GUIDE.read_text(encoding="utf-8")
    app = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)[0]
    section = guide.partition("## A server from git")[2]
    toml = re.findall(r"^```toml\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[0]
    clone = Repository(tmp_path / "clone")
    commit = clone.commit("Serve two pages", app_py=app)
    command = re.findall(r"^git (config .*)$", section, re.MULTILINE)[0]
    clone.git(*command.replace("/home/me/app", str(clone.folder)).split())
    file = tmp_path / "server.toml"
    file.write_text(re.sub(r'"[0-9a-f]{40}"', f'"{commit}"', toml), encoding="utf-8")
    server = load_server(file)
    with start(install(server), "plain", cpus=None, log=tmp_path / "log") as running:
        rows = check_workloads(running.host, running.port, [get(name) for name in server.workloads])
    assert rows
    assert not [row.detail for row in rows if not row.ok]


def test_the_guide_names_every_placeholder() -> None:
    from httpdyno.servers.declaration.placeholders import BUILT_IN

    guide = GUIDE.read_text(encoding="utf-8").partition("## Placeholders")[2]
    assert set(re.findall(r"`\{([a-z_]+)\}`", guide)) == set(BUILT_IN)

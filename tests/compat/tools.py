"""Runs httperf or ab and httpdyno's own with the same arguments, one after the other.

    both = run_both("ab", ["-n", "10", "http://{address}/"], tmp_path)
    assert_same(both, counts=["Complete requests:"])

In arguments, `{host}`, `{port}` and `{address}` are those of a new server for each run, `{folder}`
is a folder of its own for what it writes, `{files}` the test's folder.
"""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from .recorder import HOST, Connection, Recorder
from .replies import Request, Script

PYTHON_SOURCES = Path(__file__).parents[2] / "python"
PACKAGES = {"ab": "apache2-utils", "nginx": "nginx-light"}
"""Debian packages whose names are not the program's."""
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Ran:
    """One tool's run, and what the server saw."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    port: int
    folder: Path
    connections: tuple[Connection, ...] = ()
    """Empty if the server was no recorder."""

    @property
    def requests(self) -> list[Request]:
        """All requests, connection by connection."""
        return [request for one in self.connections for request in one.requests]

    def on(self, connections: Sequence[Connection]) -> Ran:
        """The same run, with what a recorder saw."""
        return replace(self, connections=tuple(connections))

    def written(self, name: str) -> str:
        """A file that the tool wrote into `{folder}`."""
        return (self.folder / name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Both:
    """The real tool, and ours."""

    real: Ran
    ours: Ran


def real(name: str) -> list[str]:
    """The real tool's command; skips the test if it is not installed."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip(f"`{name}` is not installed (Debian package {PACKAGES.get(name, name)})")
    return [found]


def ours(name: str) -> list[str]:
    """The command of httpdyno's own."""
    return [sys.executable, "-m", "httpdyno", name]


def run_both(
    tool: str,
    arguments: Iterable[str],
    folder: Path,
    script: Script | None = None,
    *,
    tls: ssl.SSLContext | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Both:
    """Run the real tool, then ours, each against a fresh recorder."""
    given = list(arguments)
    found = []
    for name, command in (("real", real(tool)), ("ours", ours(tool))):
        with Recorder(script, tls=tls) as server:
            ran = run(command, given, server.host, server.port, folder / name, timeout_s)
        found.append(ran.on(server.connections))
    return Both(*found)


def run_both_against(
    tool: str, arguments: Iterable[str], folder: Path, address: str, timeout_s: float = TIMEOUT_S
) -> Both:
    """Run the real tool, then ours, against a server that runs already, or against none."""
    given = list(arguments)
    host, _, port = address.rpartition(":")
    runs = [
        run(command, given, host, int(port), folder / name, timeout_s)
        for name, command in (("real", real(tool)), ("ours", ours(tool)))
    ]
    return Both(*runs)


def run(
    command: Sequence[str],
    arguments: Sequence[str],
    host: str,
    port: int,
    folder: Path,
    timeout_s: float = TIMEOUT_S,
) -> Ran:
    """Run one tool to its end, in a folder of its own. Fails the test if it does not end."""
    folder.mkdir(parents=True, exist_ok=True)
    places = {
        "host": host,
        "port": str(port),
        "address": f"{host}:{port}",
        "folder": str(folder),
        "files": str(folder.parent),
    }
    words = [*command, *(_filled(word, places) for word in arguments)]
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as why:
        so_far = (why.stdout or b"").decode(errors="replace")[-2000:]
        pytest.fail(f"`{' '.join(words)}` ran over {timeout_s:g} s; it printed:\n{so_far}")
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return Ran(tuple(words), done.returncode, out, err, port, folder)


def environment(folder: Path) -> dict[str, str]:
    """This source tree, its own state and data, 80 columns, no colour, English."""
    return {
        **os.environ,
        "PYTHONPATH": str(PYTHON_SOURCES),
        "HTTPDYNO_STATE": str(folder / "state"),
        "HTTPDYNO_DATA": str(folder / "data"),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }


def certificate(folder: Path) -> ssl.SSLContext:
    """A server's TLS context, with a new certificate for localhost."""
    folder.mkdir(parents=True, exist_ok=True)
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=localhost", "-addext", f"subjectAltName=DNS:localhost,IP:{HOST}"]
    files = ["-out", str(folder / "server.pem"), "-keyout", str(folder / "key.pem")]
    command = [*real("openssl"), *words.split(), *names, *files]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "key.pem")
    return context


def _filled(word: str, places: dict[str, str]) -> str:
    """Only these places are filled: other braces are the tool's own."""
    for name, value in places.items():
        word = word.replace(f"{{{name}}}", value)
    return word

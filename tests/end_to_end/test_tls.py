"""`httpdyno load https://…`, the whole program, against nginx and through tinyproxy."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

OK, USAGE, TARGET = 0, 2, 3
SOURCES = Path(__file__).parents[2] / "python"
NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{tls} ssl;
        listen 127.0.0.1:{plain};
        ssl_certificate {folder}/server.pem;
        ssl_certificate_key {folder}/server-key.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
        location = /pong {{ default_type text/plain; return 200 "PONG"; }}
    }}
}}
"""
TINYPROXY = """\
Port {port}
Listen 127.0.0.1
MaxClients 100
BasicAuth user secret
"""


@dataclass(frozen=True)
class Server:
    """nginx, with and without TLS."""

    folder: Path
    tls: int
    plain: int

    @property
    def url(self) -> str:
        return f"https://localhost:{self.tls}/pong"

    @property
    def ca(self) -> list[str]:
        return ["--ca", str(self.folder / "authority.pem")]

    def logged(self) -> int:
        """Requests in its log.

        nginx writes a line after the reply, and one after the other: the lines of all replies so
        far are there when another request has been answered.
        """
        with socket.create_connection(("127.0.0.1", self.plain)) as client:
            client.sendall(b"GET /settle HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while client.recv(4096):
                pass
        lines = (self.folder / "access.log").read_text(encoding="utf-8").splitlines()
        return sum(" /settle " not in line for line in lines)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("nginx")
    certificate(folder, "authority")
    certificate(folder, "server", "authority")
    certificate(folder, "other")
    found = Server(folder, free_port(), free_port())
    conf = NGINX.format(folder=folder, tls=found.tls, plain=found.plain)
    (folder / "nginx.conf").write_text(conf, encoding="utf-8")
    with running([program("nginx"), "-p", str(folder), "-c", "nginx.conf"], found.tls):
        yield found


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[int]:
    """tinyproxy, with a password; its port."""
    port = free_port()
    conf = tmp_path / "tinyproxy.conf"
    conf.write_text(TINYPROXY.format(port=port), encoding="utf-8")
    with running([program("tinyproxy"), "-d", "-c", str(conf)], port):
        yield port


def program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip(f"`{name}` is not installed")
    return found


def certificate(folder: Path, name: str, authority: str | None = None) -> None:
    """A certificate for localhost and its key, signed by an authority or by itself."""
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    words += ["-out", str(folder / f"{name}.pem"), "-keyout", str(folder / f"{name}-key.pem")]
    if authority is not None:
        signed = ["-CA", f"{folder / authority}.pem", "-CAkey", f"{folder / authority}-key.pem"]
        words += [*signed, "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([program("openssl"), *words], check=True, capture_output=True)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


@contextmanager
def running(words: list[str], port: int) -> Iterator[None]:
    """A server, from its first accepted connection to its end."""
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.02)
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def load(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `httpdyno load` in a folder, with these variables in its environment."""
    plain = {**os.environ, "PYTHONPATH": str(SOURCES), "NO_COLOR": "1", "COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, "-m", "httpdyno", "load", *arguments, "--json", "out.json"],
        env={**plain, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def record(folder: Path) -> Any:
    return json.loads((folder / "out.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_nginx_logs_as_many_calls_over_tls_as_are_counted(
    version: str, driver: str, server: Server, tmp_path: Path
) -> None:
    before = server.logged()
    flags = [*server.ca, "-n", "2000", "-c", "16", "--driver", driver, "--tls-version", version]
    result = load(tmp_path, server.url, *flags, "--expect-body", "PONG")
    assert result.returncode == OK, result.stderr
    measured = record(tmp_path)["measurement"]
    assert measured["calls"]["ok"] == 2000
    assert measured["handshakes"]["version"] == version
    opened = measured["connections"]["opened"]
    assert measured["times"]["tls"]["count"] == measured["times"]["connect"]["count"] == opened
    assert f" resumed; TLS {version}, TLS_" in " ".join(result.stdout.split())
    assert server.logged() - before == 2000


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_nginx_resumes_sessions_unless_told_not_to(
    version: str, server: Server, tmp_path: Path
) -> None:
    flags = [*server.ca, "-n", "50", "-c", "1", "--no-keep-alive", "--tls-version", version]
    for more, resumed in ([], range(45, 50)), (["--no-resume"], range(1)):
        result = load(tmp_path, server.url, *flags, *more)
        assert result.returncode == OK, result.stderr
        made = record(tmp_path)["measurement"]["handshakes"]
        assert made["resumed"] in resumed
        assert made["full"] + made["resumed"] == 50


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ([], "the server's certificate is not signed by a trusted authority"),
        (["--ca", "AUTHORITY", "--sni", "example.org"], "not valid for name"),
    ],
)
def test_a_server_that_is_not_trusted_is_one_error_and_no_request(
    flags: list[str], sentence: str, server: Server, tmp_path: Path
) -> None:
    before = server.logged()
    authority = str(server.folder / "authority.pem")
    given = [word.replace("AUTHORITY", authority) for word in flags]
    # The machine trusts another, and nobody else.
    result = load(tmp_path, server.url, *given, SSL_CERT_FILE=str(server.folder / "other.pem"))
    assert result.returncode == TARGET
    assert sentence in result.stderr
    assert "hint: trust its certificate with `--ca FILE`, or any certificate with" in result.stderr
    assert "Traceback" not in result.stderr
    assert server.logged() == before
    assert load(tmp_path, server.url, "-n", "200", "--insecure").returncode == OK


def test_a_server_that_the_machine_trusts_needs_no_flag(server: Server, tmp_path: Path) -> None:
    trusted = str(server.folder / "authority.pem")
    result = load(tmp_path, server.url, "-n", "200", SSL_CERT_FILE=trusted)
    assert result.returncode == OK, result.stderr


def test_a_file_without_certificates_is_one_error(server: Server, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    result = load(tmp_path, server.url, "--ca", "empty.pem")
    assert result.returncode == USAGE
    assert f"`{tmp_path / 'empty.pem'}` holds no certificate" in result.stderr
    result = load(tmp_path, server.url, "--ca", "/dev/null")
    assert result.returncode == USAGE
    assert "`--ca /dev/null`: expected PEM" in result.stderr


def test_a_port_without_tls_is_one_error(server: Server, tmp_path: Path) -> None:
    result = load(tmp_path, f"https://localhost:{server.plain}/pong", *server.ca)
    assert result.returncode == TARGET
    assert "the server's bytes are not TLS" in result.stderr
    assert "the server speaks no TLS on this port" in result.stderr


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
def test_a_proxy_carries_calls_with_and_without_tls(
    driver: str, server: Server, proxy: int, tmp_path: Path
) -> None:
    through = ["--proxy", f"http://user:secret@127.0.0.1:{proxy}", "--driver", driver]
    flags = [*through, "-n", "200", "-c", "4", "--expect-body", "PONG"]
    before = server.logged()
    secure = load(tmp_path, server.url, *server.ca, *flags)
    assert secure.returncode == OK, secure.stderr
    assert record(tmp_path)["measurement"]["connections"]["opened"] == 4
    # tinyproxy closes after each reply and does not say so: the client must have asked for it.
    plain = load(tmp_path, f"http://localhost:{server.plain}/pong", *flags, "--no-keep-alive")
    assert plain.returncode == OK, plain.stdout
    assert record(tmp_path)["measurement"]["calls"]["ok"] == 200
    assert "secret" not in (tmp_path / "out.json").read_text(encoding="utf-8")
    assert server.logged() - before == 400


def test_a_proxy_that_wants_a_password_is_told_before_anything_is_sent(
    server: Server, proxy: int, tmp_path: Path
) -> None:
    before = server.logged()
    result = load(tmp_path, server.url, *server.ca, "--proxy", f"http://127.0.0.1:{proxy}")
    assert result.returncode == TARGET
    assert "the proxy answered CONNECT with status 40" in result.stderr
    assert server.logged() == before


def test_certificates_may_come_through_a_pipe(server: Server, tmp_path: Path) -> None:
    flags = " ".join(["-n", "20", "-q"])
    line = f"{sys.executable} -m httpdyno load {server.url} {flags} --ca <(cat {server.ca[1]})"
    done = subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (OK, "")

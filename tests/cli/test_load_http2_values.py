"""Requests that vary over HTTP/2: the server's log has the same values as over HTTP/1.1."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import shop

from .conftest import Program

OK = 0
HTTP = ("HTTP/1.1", "HTTP/2.0")
NGINX = """\
{user}
daemon off;
pid nginx.pid;
error_log stderr error;
events {{}}
http {{
    log_format cookies '$server_protocol $http_cookie';
    access_log access.log cookies;
    client_body_temp_path temp;
    proxy_temp_path temp;
    fastcgi_temp_path temp;
    uwsgi_temp_path temp;
    scgi_temp_path temp;
    server {{
        listen 127.0.0.1:{http1};
        listen 127.0.0.1:{http2} http2;
        add_header Set-Cookie "sid=$request_id";
        location / {{ proxy_pass http://127.0.0.1:{behind}; }}
    }}
}}
"""
SESSION = """\
session = true
data    = ["users.csv:random"]

[[requests]]
path    = "/login"
headers = { Content-Type = "application/json" }
body    = '''{"email": "{users.email}", "password": "secret of {users.email}"}'''
keep    = { token = { json = "/access_token" }, sid = { cookie = "sid" } }
expect  = { status = 200, any = true }

[[requests]]
path    = "/items/{random:1:10000}"

[[requests]]
path    = "/orders?of={users.email}&n={sequence:95}"
headers = { Authorization = "Bearer {token}", Content-Type = "application/json", X-Id = "{uuid}" }
body    = '{"item": {zipf:1:10000:1.1}, "count": 1, "note": "{choice:a,\\"b\\"}"}'
expect  = { status = 201, any = true }
"""


@dataclass
class Shop:
    """A shop behind nginx, which speaks HTTP/1.1 on a port and HTTP/2 on another."""

    http1: str
    http2: str
    log: Path
    cookies: Path
    """The protocol and the cookies of the requests to nginx."""
    seen: int = 0
    """Lines of the log that were taken."""

    def taken(self) -> list[tuple[str, str, int, bytes]]:
        """Method, target, status and body of the requests since the last time, sorted."""
        all_lines = self.log.read_text().splitlines()
        lines = [line.split(" ") for line in all_lines[self.seen :]]
        self.seen = len(all_lines)
        return sorted((one[0], one[1], int(one[2]), b64decode(one[3])) for one in lines)


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextmanager
def running(folder: Path) -> Iterator[Shop]:
    """Both programs, until the end of the block."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("`nginx` is not installed")
    folder.mkdir()
    command = [sys.executable, shop.__file__, "0", "--log", str(folder / "shop.log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as behind:
        assert behind.stdout is not None
        behind_port = int(behind.stdout.readline().split()[1])
        http1, http2 = _free_port(), _free_port()
        user = "user root;" if os.geteuid() == 0 else ""
        text = NGINX.format(user=user, http1=http1, http2=http2, behind=behind_port)
        (folder / "nginx.conf").write_text(text)
        argv = [program, "-e", "stderr", "-p", str(folder), "-c", "nginx.conf"]
        with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as before:
            try:
                while not _answers(http2):
                    assert before.poll() is None, "nginx ended"
                    time.sleep(0.02)
                urls = [f"http://127.0.0.1:{one}" for one in (http1, http2)]
                yield Shop(urls[0], urls[1], folder / "shop.log", folder / "access.log")
            finally:
                before.terminate()
                behind.kill()


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
def test_the_same_seed_sends_the_same_values(called: Program, tmp_path: Path, driver: str) -> None:
    rows = "".join(f"u{n}@example.org\n" for n in range(1, 41))
    (tmp_path / "users.csv").write_text(f"email\n{rows}")
    (tmp_path / "session.toml").write_text(SESSION)
    flags = ["--seed", "7", "-n", "120", "--warm-up", "0"]
    flags += ["--workload", "./session.toml", "-c", "1", "--driver", driver, "--session-cookies"]
    with running(tmp_path / "servers") as server:
        called("load", server.http1, *flags)
        over_http1 = server.taken()
        answer = called("load", server.http2, *flags, "--http2", "--json", "out.json")
        carried = server.taken()
        cookies = server.cookies.read_text().splitlines()
    assert answer.returncode == OK, answer.stdout + answer.stderr
    calls = json.loads((tmp_path / "out.json").read_text())["measurement"]["calls"]
    assert (calls["ok"], len(carried)) == (360, 360)
    assert carried == over_http1
    # The first request of a session has no cookie yet, each other one has that of its session.
    kinds = Counter(line.split("=")[0] for line in cookies)
    each = {"-": 120, "sid": 240}
    assert kinds == {f"{http} {kind}": n for http in HTTP for kind, n in each.items()}


def test_paths_headers_and_bodies_vary_on_streams(called: Program, tmp_path: Path) -> None:
    flags = ["-n", "200", "-c", "2", "--warm-up", "0", "--expect", "any", "--json-body"]
    flags += ['{"item": {random:1:10000}, "count": {sequence:98}}', "--seed", "3"]
    flags += ["-H", "Authorization: Bearer {choice:a,b}"]
    with running(tmp_path / "servers") as server:
        called("load", f"{server.http1}/orders?n={{sequence:1}}&{{uuid}}", *flags)
        over_http1 = server.taken()
        more = ["--http2", "--streams", "8", "--threads", "2", "--encoder-table", "4096"]
        called("load", f"{server.http2}/orders?n={{sequence:1}}&{{uuid}}", *flags, *more)
        carried = server.taken()
    assert len(over_http1) == 200
    assert carried == over_http1

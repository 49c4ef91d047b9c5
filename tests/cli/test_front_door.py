"""Before its first request, a load loads no module that it does not need for it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import environment

LOADED_LATER = {
    *("asyncio", "email", "importlib.metadata", "jinja2", "logging", "numpy", "pydantic"),
    *("rich", "sqlalchemy", "starlette", "statistics", "subprocess", "typer"),
}
"""Modules that take long to load, or bring many others with them."""
ROOMS = {
    "load": {
        *("_engine", "address", "call_log", "choices", "cli", "compat", "compiled", "engine"),
        *("endpoints", "engine_plan", "errors", "host", "limits", "output", "running", "servers"),
        *("units", "warm_up"),
    },
    "ab": {
        *("_engine", "call_log", "choices", "cli", "compat", "compiled", "endpoints", "engine"),
        *("engine_plan", "errors", "output", "servers", "units"),
    },
    "httperf": {
        *("_engine", "address", "call_log", "choices", "cli", "compat", "compiled", "engine"),
        *("endpoints", "engine_plan", "errors", "output", "servers", "units"),
    },
}
"""The parts of the package that have a module that is loaded before the first request."""
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


def at_first_request(words: str, log: Path) -> list[str]:
    """The modules that the program has loaded when its first request arrives, in their order."""
    with socket.create_server(("127.0.0.1", 0)) as door, log.open("wb") as stderr:
        door.settimeout(60)
        url = f"http://127.0.0.1:{door.getsockname()[1]}/"
        program = [sys.executable, "-X", "importtime", "-m", "httpdyno", *_filled(words, url)]
        with subprocess.Popen(program, env=environment(), stdout=-3, stderr=stderr) as running:
            while True:
                connection, _ = door.accept()
                with connection:
                    connection.settimeout(60)
                    if connection.recv(65536):  # a connection that proves the server sends nothing
                        loaded = log.read_text(encoding="utf-8")
                        connection.sendall(REPLY)
                        break
            door.close()
            running.wait(60)
    return re.findall(r"^import time: .*\| +(\S+)$", loaded, re.MULTILINE)


def _filled(words: str, url: str) -> list[str]:
    port = url.rstrip("/").rpartition(":")[2]
    return words.replace("URL", url).replace("PORT", port).split()


@pytest.mark.parametrize(
    "words",
    [
        "load URL --requests 1",
        "load URL --requests 1 --quiet",
        "load URL --rate 10 --duration 1s --header X:Y --body text --fail-if p99>1s",
        "ab -n 1 URL",
        "httperf --server=127.0.0.1 --port=PORT --num-conns=1",
    ],
)
def test_before_its_first_request_a_load_loads_only_what_it_needs(
    words: str, tmp_path: Path
) -> None:
    loaded = at_first_request(words, tmp_path / "log")
    assert "httpdyno._engine" in loaded
    assert sorted(LOADED_LATER.intersection(loaded)) == []
    rooms = {name.split(".")[1] for name in loaded if name.startswith("httpdyno.")}
    assert sorted(rooms - ROOMS[words.partition(" ")[0]]) == []

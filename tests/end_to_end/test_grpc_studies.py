"""Calls of gRPC in `run`, `capacity`, `compare` and `servers check`, to real servers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from grpc_server import PROTO, SERVICE, GrpcServer, serving
from study_place import Place

pytest.importorskip("grpc_tools", reason="`grpcio-tools` of the extra `grpc` is not installed")
pytest.importorskip("grpc_reflection", reason="`grpcio-reflection` of the extra is not installed")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SUMS = ["--proto", str(PROTO), "--message", '{"a": 1, "b": 2}', "--expect-message", '{"sum": 3}']
CALL = ["--grpc", f"{SERVICE}/GetSum", *SUMS]
SERVER = Path(__file__).parents[1] / "shared" / "sum_server.py"
STUDY = f"""\
title = "Sums"
blocks = 1
warm_up = 0.05
arms = [
  {{{{ name = "mine", start = '{sys.executable} {SERVER} {{{{port}}}}' }}}},
  {{{{ name = "tls", url = "{{secure}}", ca = "{{authority}}" }}}},
]
loads.any = {{{{ kind = "closed", connections = 2, requests = 100 }}}}
loads.streams = {{{{ kind = "closed", connections = 1, requests = 100, http = "2", streams = 4 }}}}
[[workloads.sums.requests]]
grpc = "{SERVICE}/GetSum"
proto = "{PROTO}"
message = '{{{{"a": 1, "b": 2}}}}'
expect = {{{{ message = '{{{{"sum": 3}}}}' }}}}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GrpcServer]:
    with serving(tmp_path_factory.mktemp("certificates")) as server:
        yield server


def test_a_study_calls_a_server_that_it_starts_and_one_over_tls(
    place: Place, library: GrpcServer
) -> None:
    secure = f"grpcs://localhost:{library.secure_port}"
    text = STUDY.format(secure=secure, authority=library.authority, port="{port}")
    (place.home / "sums.toml").write_text(text, encoding="utf-8")
    done = place.call("run", "sums.toml", "--results", str(place.results))
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(cell.throughput_per_s is not None for cell in place.result().cells)
    assert "the generator's ceiling: sums" in done.stdout + done.stderr
    assert library.statuses["OK"] >= 200
    checked = place.call("servers", "check", "--study", "sums.toml", "mine")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"POST /{SERVICE}/GetSum" in checked.stdout


def test_a_wrong_message_leaves_an_arm_out(place: Place, library: GrpcServer) -> None:
    secure = f"grpcs://localhost:{library.secure_port}"
    text = STUDY.format(secure=secure, authority=library.authority, port="{port}")
    (place.home / "sums.toml").write_text(text.replace('"sum": 3', '"sum": 4'), encoding="utf-8")
    checked = place.call("servers", "check", "--study", "sums.toml", "tls")
    assert checked.returncode != 0
    assert "the byte at offset 6 is `\\x03`, not `\\x04`" in " ".join(checked.stdout.split())


def test_capacity_and_compare_call_a_method(place: Place, library: GrpcServer) -> None:
    url = f"grpc://127.0.0.1:{library.port}"
    search = ["--limit", "p99<1s", "--rate-max", "300", "--step", "0.2s", "--warm-up", "0.1s"]
    search += ["--restarts", "1", "--confirm", "0", "--no-profile", "--streams", "2"]
    done = place.call("capacity", f"{url}/{SERVICE}/GetSum", *SUMS, *search)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the capacity is" in " ".join(done.stdout.split())
    load = ["--blocks", "2", "--duration", "0.2s", "--warm-up", "0.05s", "--rate", "50"]
    done = place.call("compare", url, url, *CALL, *load)
    assert "requests/s" in done.stdout, done.stdout + done.stderr
    assert "left out" not in done.stdout

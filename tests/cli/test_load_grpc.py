"""`load grpc://…`: unary calls of gRPC, to the reference server and to one of gRPC's library."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from grpc_server import PROTO, SERVICE, GrpcServer, serving
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.measurement import Measurement

from .conftest import Program

if TYPE_CHECKING:
    from httpdyno import _engine

pytest.importorskip("grpc_tools", reason="`grpcio-tools` of the extra `grpc` is not installed")
pytest.importorskip("grpc_reflection", reason="`grpcio-reflection` of the extra is not installed")

USAGE, TARGET, INVALID = 2, 3, 6
SUMS = ["--proto", str(PROTO), "--message", '{"a": 1, "b": 2}', "--expect-message", '{"sum": 3}']


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GrpcServer]:
    with serving(tmp_path_factory.mktemp("certificates")) as server:
        yield server


@pytest.fixture(autouse=True)
def no_counts(library: GrpcServer) -> None:
    library.statuses.clear()


def url_of(server: GrpcServer | _engine.Reference, path: str = f"/{SERVICE}/GetSum") -> str:
    where = f"127.0.0.1:{server.port}" if isinstance(server, GrpcServer) else server.address
    return f"grpc://{where}{path}"


def measured(folder: Path) -> Measurement:
    return LoadRecord.model_validate_json((folder / "out.json").read_text()).measurement


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
@pytest.mark.parametrize("described", [True, False])
def test_a_server_of_the_library_sends_the_statuses_that_are_counted(
    httpdyno: Program, library: GrpcServer, tmp_path: Path, driver: str, described: bool
) -> None:
    messages = ["--message", '[{"a": 1, "b": 2}, {"a": -1}]', "--message", '{"b": 5}']
    right = ["--expect-message", '[{"sum": 3}, {}]', "--expect-message", '{"sum": 5}']
    proto = [] if described else ["--proto", str(PROTO)]
    load = ["-c", "2", "--streams", "3", "-n", "300", "--warm-up", "0s", "--driver", driver]
    answer = httpdyno(
        "load", url_of(library), *proto, *messages, *right, *load, "--json", "out.json"
    )
    found = measured(tmp_path)
    assert found.grpc is not None
    assert found.grpc.statuses == library.statuses == {"OK": 200, "FAILED_PRECONDITION": 100}
    assert (found.calls.ok, found.calls.errors) == (200, {"grpc_status": 100})
    assert found.first_failure is not None
    assert found.first_failure.endswith("grpc-status 9 (FAILED_PRECONDITION): a is negative: ü\\n")
    said = " ".join(answer.stdout.split())
    assert "gRPC OK 200, FAILED_PRECONDITION 100" in said
    assert "100 grpc_status: the reply has another status of gRPC than OK" in said
    assert answer.returncode == INVALID


@pytest.mark.parametrize("described", [True, False])
def test_tls_is_negotiated_and_trusted_as_for_https(
    httpdyno: Program, called: Program, library: GrpcServer, tmp_path: Path, described: bool
) -> None:
    url = f"grpcs://localhost:{library.secure_port}/{SERVICE}/GetSum"
    sums = SUMS[2:] if described else SUMS
    load = ["-n", "20", "-c", "2", "--warm-up", "0s", "--json", "out.json"]
    httpdyno("load", url, *sums, "--ca", str(library.authority), *load)
    found = measured(tmp_path)
    assert (found.calls.ok, found.protocol, library.statuses["OK"]) == (20, "h2", 20)
    assert found.handshakes is not None
    answer = called("load", url, *sums, "-n", "1")
    assert answer.returncode == TARGET
    assert "is not signed by a trusted authority" in answer.stderr
    assert "--ca FILE" in answer.stderr
    answer = called("load", url, *sums, "-k", "-n", "1")
    assert "gRPC         OK 1\n" in answer.stdout


@pytest.mark.parametrize("described", [True, False])
def test_a_url_of_the_other_kind_names_the_right_one(
    called: Program, library: GrpcServer, described: bool
) -> None:
    sums = SUMS[2:] if described else SUMS
    clear = f"grpcs://localhost:{library.port}/{SERVICE}/GetSum"
    answer = called("load", clear, *sums, "--ca", str(library.authority), "-n", "1")
    assert answer.returncode == TARGET
    assert "the server speaks no TLS on this port: try `grpc://`" in answer.stderr
    secure = f"grpc://localhost:{library.secure_port}/{SERVICE}/GetSum"
    answer = called("load", secure, *sums, "-n", "1")
    assert answer.returncode == TARGET
    assert "use `grpcs://` if it speaks TLS" in answer.stderr


def test_paced_loads_sweeps_and_metadata(
    httpdyno: Program, library: GrpcServer, tmp_path: Path
) -> None:
    load = ["--rate", "200", "-d", "1s", "-c", "4", "-H", "X-Request-Id: é7", "-H", "k-bin: AAE"]
    httpdyno("load", url_of(library), *SUMS, *load, "--json", "out.json")
    found = measured(tmp_path)
    assert (found.calls.ok, found.calls.due, found.protocol) == (200, 200, "h2")
    sent = {name: value for name, value in library.metadata if name in ("k-bin", "user-agent")}
    assert sent["k-bin"] in (b"\0\1", "\0\1")
    assert sent["user-agent"].startswith("httpdyno/")
    swept = httpdyno(
        *("sweep", "load", url_of(library), *SUMS, "--rate", "50,100", "-d", "0.3s"),
        *("--warm-up", "0s", "--csv", "-"),
    )
    assert len(swept.stdout.strip().splitlines()) >= 3


def test_the_reference_server_adds_delays_and_fails_on_request(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    path = f"/{SERVICE}/GetSum?delay=5ms&fault=grpc:14&share=0.5"
    httpdyno("load", url_of(server, path), *SUMS, "-c", "4", "-n", "200", "--json", "out.json")
    found = measured(tmp_path)
    assert found.grpc is not None
    assert found.grpc.statuses.keys() == {"OK", "UNAVAILABLE"}
    assert sum(found.grpc.statuses.values()) == 200
    assert found.calls.ok == found.grpc.statuses["OK"]
    assert found.times.response.min_ns > 5_000_000


@pytest.mark.parametrize(
    ("path", "flags", "words"),
    [
        ("/httpdyno.Reference/GetSums", [], "no method `GetSums` of `httpdyno.Reference`: expected"
         " one of `Count`, `GetSum`"),
        ("/a.B/C", [], "no service `a.B`: expected one of"),
        ("/httpdyno.Reference.GetSum", [], "did you mean `httpdyno.Reference/GetSum`?"),
        ("", [], "no method: expected one of"),
        ("/httpdyno.Reference", [], "no method: expected one of"),
        ("/httpdyno.Reference/Count", [], "`Count` is a streaming method: expected a unary one"),
        (None, ["--message", '{"c": 1}'], "no message of `httpdyno.Numbers`: field `c`: "),
        (None, ["--message", '{"a": 1, "b": "x"}'], "field `b`: "),
        (None, ["--message", '{"a": 9999999999}'], "field `a`: "),
        (None, ["--message", "5"], "no message of `httpdyno.Numbers`"),
        (None, ["--message", "[]"], "expected at least one message"),
        (None, ["--message", '{"a": '], "expected a message as JSON"),
        (None, ["--message", "@nothing.json"], "cannot read `nothing.json`"),
        (None, ["--expect-message", '[{}, {"sum": 1}]'], "2 replies, and `--message` 1 message"),
        (None, ["--json-body", "{}"], "`--json-body` is of HTTP"),
        (None, ["--expect", "json:{}"], "`--expect` of a call of gRPC: expected `any`"),
        (None, ["--http", "1.0"], "exclude each other"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("described", [True, False])
def test_a_wrong_call_is_an_error_that_says_what_there_is(
    called: Program,
    library: GrpcServer,
    path: str | None,
    flags: list[str],
    words: str,
    described: bool,
) -> None:
    url = url_of(library) if path is None else url_of(library, path)
    proto = [] if described else ["--proto", str(PROTO)]
    answer = called("load", url, *proto, *flags, "-n", "1", "-q")
    assert answer.returncode == USAGE
    assert words in answer.stderr
    assert not library.statuses


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('syntax = "proto3"; mess A {}', "broken.proto:1:20"),
        ('syntax = "proto3"; import "missing.proto";', "missing.proto"),
    ],
)
def test_a_file_that_does_not_compile_is_an_error_with_its_place(
    called: Program, library: GrpcServer, tmp_path: Path, content: str, words: str
) -> None:
    (tmp_path / "broken.proto").write_text(content)
    answer = called("load", url_of(library), "--proto", "broken.proto", "-n", "1")
    assert answer.returncode == USAGE
    assert words in answer.stderr


def test_imports_are_found_in_their_folders(
    httpdyno: Program, library: GrpcServer, tmp_path: Path
) -> None:
    text = PROTO.read_text()
    messages, service = text.split("service ")
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "messages.proto").write_text(messages)
    imported = 'syntax = "proto3"; package httpdyno; import "messages.proto"; service '
    (tmp_path / "service.proto").write_text(imported + service)
    flags = ["--proto", "service.proto", "--import-path", "types", "--message", "@one.json"]
    (tmp_path / "one.json").write_text('{"a": 4}')
    httpdyno("load", url_of(library), *flags, "--expect-message", '{"sum": 4}', "-n", "10", "-c1")
    assert library.statuses["OK"] >= 10


def test_a_server_without_reflection_or_without_grpc_needs_a_file(
    called: Program, server: _engine.Reference
) -> None:
    answer = called("load", url_of(server), "-n", "1")
    assert answer.returncode == TARGET
    assert "does not say which methods it has: it has no reflection" in answer.stderr
    assert "--proto FILE" in answer.stderr
    answer = called("load", "grpc://127.0.0.1:1/a.B/C", "-n", "1")
    assert answer.returncode == TARGET
    assert "`127.0.0.1:1` cannot be reached: Connection refused" in answer.stderr


def test_a_file_that_is_not_there_is_named(called: Program) -> None:
    answer = called("load", "grpc://127.0.0.1:1/a.B/C", "--proto", "no.proto", "-n", "1")
    assert answer.returncode == USAGE
    assert "cannot read `no.proto`: No such file or directory" in answer.stderr


def test_options_of_ghz_are_answered_with_ours(called: Program) -> None:
    answer = called("load", "grpc://127.0.0.1:1/a.B/C", "--cacert", "ca.pem", "--call", "a.B.C")
    assert answer.returncode == USAGE
    assert "`--cacert` is not a flag of `httpdyno load`: use `--ca FILE`" in answer.stderr
    assert "a method is in the URL: `grpc://HOST:PORT/pkg.Service/Method`" in answer.stderr


def test_a_reply_with_another_message_is_a_wrong_body(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    wrong = [*SUMS[:4], "--expect-message", '{"sum": 4}']
    httpdyno("load", url_of(server), *wrong, "-n", "20", "-c", "1", "--json", "out.json")
    found = measured(tmp_path)
    assert found.grpc is not None
    assert (found.calls.wrong_body, found.grpc.statuses) == (20, {"OK": 20})


def test_flags_of_grpc_are_for_its_urls_and_compare_takes_its_method_by_a_flag(
    called: Program,
) -> None:
    answer = called("load", "http://localhost:1/", *SUMS)
    assert answer.returncode == USAGE
    assert "`--proto`, `--message` and `--expect-message` apply only to gRPC" in answer.stderr
    answer = called("compare", "grpc://127.0.0.1:1/a.B/C", "http://127.0.0.1:1/")
    assert answer.returncode == USAGE
    assert "compare `grpc://127.0.0.1:1`, with `--grpc a.B/C`" in answer.stderr


def test_the_guide_works_as_it_is_written(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/grpc.md").read_text()
    (proto,) = re.findall(r"```proto\n(.*?)```", guide, re.DOTALL)
    (tmp_path / "sum.proto").write_text(proto)
    (line,) = re.findall(r"^httpdyno (load grpc://127.0.0.1:8080/.*)$", guide, re.MULTILINE)
    words = shlex.split(line.replace("127.0.0.1:8080", server.address))
    answer = httpdyno(*words, "-n", "50", "--json", "out.json")
    assert "gRPC         OK 50\n" in answer.stdout
    assert measured(tmp_path).calls.ok == 50

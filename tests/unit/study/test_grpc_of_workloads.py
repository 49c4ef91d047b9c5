"""Calls of gRPC in workloads of a study: their messages, and their faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from grpc_server import PROTO, SERVICE
from httpdyno.engine_plan import Base64, Same
from httpdyno.errors import UsageError
from httpdyno.run import read_study
from httpdyno.running.documents import study_document
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.servers.check.requests import request
from httpdyno.study import Study
from httpdyno.workloads import WORKLOADS
from httpdyno.workloads.call import framed_message

pytest.importorskip("grpc_tools", reason="`grpcio-tools` of the extra `grpc` is not installed")

HEAD = 'title = "Sums"\narms = [{ name = "mine", url = "grpc://127.0.0.1:50051" }]\n'
LOAD = '[loads.one]\nkind = "closed"\nduration = 1\nhttp = "2"\n'
CALL = f'''
[[workloads.sums.requests]]
grpc = "{SERVICE}/GetSum"
proto = "{PROTO}"
message = '{{"a": 1, "b": 2}}'
'''


def read(folder: Path, text: str) -> Study:
    file = folder / "own.toml"
    file.write_text(text, encoding="utf-8")
    return read_study(file, load_catalogue())


def fault(folder: Path, text: str) -> str:
    with pytest.raises(UsageError) as caught:
        context_of(read(folder, text))
    return caught.value.message.replace(f"{folder}/", "")


def test_a_call_is_its_messages_as_they_are_sent(tmp_path: Path) -> None:
    more = 'headers = { User-Agent = "me", x-id = "{random:1:9}" }\nexpect = { same = true }\n'
    right = CALL + "expect = { message = '{\"sum\": 3}' }\n"
    study = read(tmp_path, HEAD + LOAD + right + CALL + more)
    sent = context_of(study).workloads["sums"]
    assert sent.has_grpc
    first, second = map(request, sent.measured)
    assert (first.grpc, first.method, first.path) == (True, "POST", f"/{SERVICE}/GetSum")
    assert first.body == Base64(base64="AAAAAAQIARAC")
    assert first.expect.body == Base64(base64="AAAAAAIIAw==")
    assert first.expect.status == [200]
    assert ("te", "trailers") in first.headers
    assert second.expect.body == Same()
    names = [name.lower() for name, _ in second.headers]
    assert (names.count("user-agent"), second.placeholders) == (1, True)
    assert study_document(study)


def test_the_built_in_call_has_the_bytes_of_its_messages(tmp_path: Path) -> None:
    messages = ['{"a": 1, "b": 2}', "{}", '{"a": 300, "b": 128}', '{"a": -1, "b": 2}']
    messages.append('{"a": 2147483647, "b": 1}')
    sums = [3, 0, 428, 1, -2147483648]
    calls = (
        CALL.replace(messages[0], sent) + f"expect = {{ message = '{{\"sum\": {right}}}' }}\n"
        for sent, right in zip(messages, sums, strict=True)
    )
    own = context_of(read(tmp_path, HEAD + LOAD + "".join(calls))).workloads["sums"]
    built_in = WORKLOADS["sum"].exchanges
    assert [(one.body, one.answer) for one in own.measured] == [
        (one.body, one.answer) for one in built_in
    ]
    assert built_in[1].body == framed_message(b"")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + LOAD.replace('"2"', '"1.1"') + CALL, "calls of gRPC, which go over HTTP/2"),
        (HEAD.replace('url =', 'http = "1.1", url =') + LOAD + CALL, "which go over HTTP/2"),
        (
            HEAD.replace("title", 'workload = "sum"\ntitle') + LOAD.replace('"2"', '"1.0"'),
            "the workload `sum` has calls of gRPC, which go over HTTP/2: expected `http` as",
        ),
        (HEAD + LOAD + CALL.replace("proto =", "#"), "`proto` is missing: expected the .proto"),
        (HEAD + LOAD + CALL + 'method = "GET"', "`method` is of HTTP: expected `message`"),
        (HEAD + LOAD + CALL + "path = '/a'", "`grpc` and `path` exclude each other"),
        (HEAD + LOAD + CALL + "expect = { status = 200 }", "`status` is of HTTP"),
        (HEAD + LOAD + CALL + "expect = { body = 'a' }", "`body` is of HTTP"),
        (HEAD + LOAD + CALL.replace("grpc", "path").replace(SERVICE, f"/{SERVICE}"),
         "`proto` is of calls of gRPC: expected `grpc`"),
        (HEAD + LOAD + CALL.replace(f"{PROTO}", "no.proto"), "expected a file that exists"),
        (HEAD + LOAD + CALL.replace("/GetSum", ".GetSum"), "such as \"shop.Orders/Get\""),
        (HEAD + LOAD + CALL.replace("/GetSum", "/GetSun"), "no method `GetSun`"),
        (HEAD + LOAD + CALL.replace('"b"', '"c"'), "field `c`: "),
        (HEAD + LOAD + CALL.replace('{"a": 1, "b": 2}', "[{}, {}]"), "expected one message"),
        (HEAD + LOAD + CALL.replace('{"a": 1, "b": 2}', "{"), "expected a message as JSON"),
        (HEAD + LOAD + CALL + "expect = { message = '{\"sun\": 3}' }", "field `sun`: "),
    ],
)  # fmt: skip
def test_a_wrong_call_is_a_fault(tmp_path: Path, text: str, words: str) -> None:
    assert words in fault(tmp_path, text)

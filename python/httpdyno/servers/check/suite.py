"""A suite of rules for a server that runs already: requests, its replies as they came, findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic, sleep
from typing import Literal

from httpdyno.engine_plan import Target
from httpdyno.output.printable import printable, printable_lines
from httpdyno.servers.check.client import LONGEST_SHOWN, Conversation, Reply, ReplyError
from httpdyno.value import Value

Outcome = Literal["pass", "warn", "fail"]
Judge = Callable[[Reply], Iterable["Finding"]]
PIPELINED = 16
CUT_PAUSE_S = 0.001
CUT_LIMIT_S = 30.0
"""A slow server is asked for no longer."""
LONGEST_SEEN = 200
"""Characters of a fault, which may have text of the server in it."""


class Finding(Value):
    """One rule, and whether a reply keeps it. `warn`: the suite publishes the result, with a
    note."""

    outcome: Outcome
    rule: str
    seen: str = ""
    """The fault; empty: none."""


class Step(Value):
    """Requests of one test, with the beginning of what was sent and received, and its findings."""

    test: str
    request: str
    sent: str
    received: str
    findings: tuple[Finding, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its findings."""
        found = {finding.outcome for finding in self.findings}
        return "fail" if "fail" in found else "warn" if "warn" in found else "pass"


def keeps(rule: str, fault: str = "", *, otherwise: Outcome = "fail") -> Finding:
    """The finding of a rule: broken if there is a fault."""
    seen = printable(fault[:LONGEST_SEEN])
    return Finding(outcome=otherwise if fault else "pass", rule=rule, seen=seen)


@dataclass(frozen=True)
class Client:
    """Sends the requests of a suite to a server."""

    at: Target
    authority: str
    """The value of the Host header."""

    def connect(self) -> Conversation:
        """A connection to the server. Raises NoConnectionError."""
        return Conversation(self.at.host, self.at.port, target=self.at)

    def ask(
        self, test: str, path: str, accept: str, kind: str | None, judge: Judge, times: int = 1
    ) -> Step:
        """Sends a request, and judges its reply. `kind`: the content type, whose head is judged,
        too; None: only the body. `times`: how often `judge` sends it, for its name."""

        def ask_and_judge(conversation: Conversation, request: bytes) -> list[Finding]:
            reply = _reply(conversation, [request])
            head = [] if kind is None else head_findings(reply, kind)
            return [*head, *judge(reply)]

        named = f"{path}, {times} times" if times > 1 else path
        return self._talk(test, named, accept, ask_and_judge, path)

    def ask_cut(self, test: str, path: str, accept: str, judge: Judge) -> Step:
        """Sends a request in two packets, cut at each of its bytes in turn."""

        def cut(conversation: Conversation, request: bytes) -> list[Finding]:
            ends = monotonic() + CUT_LIMIT_S
            for place in range(1, len(request)):
                if monotonic() > ends:
                    seen = f"stopped after {CUT_LIMIT_S:g} s, before byte {place}"
                    return [keeps(_CUT, seen, otherwise="warn")]
                with self.connect() as another:
                    reply = _reply(another, [request[:place], request[place:]])
                conversation.received = another.received
                if fault := _fault(judge(reply)):
                    return [keeps(_CUT, f"cut before byte {place}: {fault}")]
            return [keeps(_CUT)]

        return self._talk(test, f"{path}, in two packets", accept, cut, path)

    def ask_at_once(self, test: str, path: str, accept: str, judge: Judge) -> Step:
        """Sends 16 requests in one packet."""

        def ask_together(conversation: Conversation, request: bytes) -> list[Finding]:
            conversation.send(request * PIPELINED)
            for number in range(1, PIPELINED + 1):
                try:
                    fault = _fault(judge(conversation.receive()))
                except ReplyError as error:
                    fault = str(error)
                if fault:
                    return [keeps(_PIPELINED, f"reply {number}: {fault}")]
            return [keeps(_PIPELINED)]

        return self._talk(test, f"{path}, {PIPELINED} in one packet", accept, ask_together, path)

    def ask_again(self, test: str, path: str, accept: str, pause_s: float) -> Step:
        """Sends a request twice with a pause between them: the header Date goes on."""

        def dates(conversation: Conversation, request: bytes) -> list[Finding]:
            first = _reply(conversation, [request]).headers.get("date", "")
            sleep(pause_s)
            with self.connect() as another:
                second = _reply(another, [request]).headers.get("date", "")
            rule = f"Date is another one {pause_s:g} s later"
            return [keeps(rule, f"both times `{first}`" if first == second else "")]

        return self._talk(test, f"{path}, {pause_s:g} s later", accept, dates, path)

    def replies(self, path: str, accept: str, number: int) -> Iterator[Reply]:
        """The replies to a request, each on a connection of its own. Raises ReplyError."""
        for _ in range(number):
            with self.connect() as conversation:
                yield _reply(conversation, [self._request(path, accept)])

    def _talk(
        self,
        test: str,
        named: str,
        accept: str,
        judge: Callable[[Conversation, bytes], Iterable[Finding]],
        path: str,
    ) -> Step:
        request = self._request(path, accept)
        received = b""
        try:
            with self.connect() as conversation:
                try:
                    findings = tuple(judge(conversation, request))
                finally:
                    received = conversation.received
        except ReplyError as error:
            findings = (keeps("answers", str(error)),)
        return Step(
            test=test,
            request=f"GET {named}",
            sent=_show(request),
            received=_show(received),
            findings=findings,
        )

    def _request(self, path: str, accept: str) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f"Host: {self.authority}", f"Accept: {accept}"]
        return "\r\n".join([*lines, "Connection: keep-alive", "", ""]).encode()


_CUT = "a request may come in two packets, cut anywhere"
_PIPELINED = f"{PIPELINED} requests in one packet get {PIPELINED} replies"


def _show(wire: bytes) -> str:
    """Bytes of the wire as lines, safe for a terminal."""
    more = "…" if len(wire) >= LONGEST_SHOWN else ""
    return printable_lines(wire.decode("utf-8", "replace").replace("\r\n", "\n")) + more


def _fault(findings: Iterable[Finding]) -> str:
    """The first rule that is broken, and how; empty: none is."""
    return next((f"{one.rule}: {one.seen}" for one in findings if one.outcome == "fail"), "")


def _reply(conversation: Conversation, parts: Sequence[bytes]) -> Reply:
    for number, part in enumerate(parts):
        if number:
            sleep(CUT_PAUSE_S)
        conversation.send(part)
    return conversation.receive()


def head_findings(reply: Reply, content_type: str) -> list[Finding]:
    """The rules for the head of each reply. `content_type`: its beginning, in lower case."""
    given = reply.headers
    ends = "content-length" in given or "transfer-encoding" in given
    seen = re.sub(r";\s*", "; ", given.get("content-type", "").lower())
    right = seen.startswith(content_type)
    date = given.get("date")
    return [
        keeps("status 200", "" if reply.status == 200 else f"status {reply.status}"),
        keeps("header Server", "" if given.get("server") else "missing"),
        keeps("header Date", "" if date else "missing"),
        keeps("Date as in RFC 9110", _date_fault(date) if date else "", otherwise="warn"),
        keeps("Content-Length or Transfer-Encoding", "" if ends else "missing"),
        keeps(f"Content-Type {content_type}", "" if right else f"`{seen}`"),
        keeps("no compression", f"`{encoding}`" if (encoding := _encoding(reply)) else ""),
    ]


def _encoding(reply: Reply) -> str:
    given = reply.headers.get("content-encoding", "")
    return "" if given == "identity" else given


def _date_fault(given: str) -> str:
    with suppress(ValueError):
        if parsedate_to_datetime(given).tzinfo is not None and given.endswith(" GMT"):
            return ""
    return f"`{given}`"

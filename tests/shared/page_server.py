"""`httpdyno serve` as a real process, and requests to it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from time import sleep
from urllib.parse import urlencode, urlsplit

from study_place import Place


@dataclass(frozen=True)
class Answer:
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Served:
    """A page server that runs."""

    link: str
    process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Host and port."""
        return urlsplit(self.link).netloc

    @property
    def url(self) -> str:
        """The link without its token."""
        return f"http://{self.address}"

    def ask(
        self,
        path: str,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: str | bytes | None = None,
    ) -> Answer:
        """Send a request."""
        host, _, port = self.address.rpartition(":")
        connection = HTTPConnection(host, int(port))
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            sent = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, sent, answer.read().decode())
        finally:
            connection.close()

    def send(self, path: str, **fields: str) -> Answer:
        """Send a form, as a reader of the start page would."""
        found = re.search(r'name="secret" value="([^"]+)"', self.ask("/start").text)
        assert found is not None
        form = urlencode({"secret": found[1], **fields})
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self.ask(path, "POST", kind, form)

    def wait_for(self, path: str, text: str) -> str:
        """Ask for a page until it has a text; the test's own time limit ends the wait."""
        while text not in (page := self.ask(path).text):
            sleep(0.05)
        return page


@contextmanager
def served(place: Place, *more: str) -> Iterator[Served]:
    """The page server on a free port of this machine, until the body ends."""
    given = () if "--listen" in more else ("--listen", "127.0.0.1:0")
    process = place.spawn(place.program("serve", *given, *more))
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, (line, process.communicate())
        yield Served(found[0], process)
    finally:
        process.terminate()
        process.communicate()


def live_keys(place: Place) -> list[str]:
    """The runs that have a journal."""
    folder = Path(place.environment["HTTPDYNO_STATE"]) / "live"
    return [file.parent.name for file in folder.glob("*/events.jsonl")]

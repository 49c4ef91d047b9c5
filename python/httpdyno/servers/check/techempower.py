"""The rules of TechEmpower's suite, for a server that reads a database of its own.

They are those of its verifier (`toolset/test_types`, 2026-03). It cannot be seen from outside
whether rows were read and written: a study with `[services.db]` counts that, under load.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from httpdyno.servers.check.client import Reply, ReplyError
from httpdyno.servers.check.suite import Client, Finding, Judge, Step, keeps
from httpdyno.workloads import get
from httpdyno.workloads.world import ADDED, FORTUNES, ROWS

__all__ = ["PATHS", "verify"]

PATHS = {
    "json": "/json",
    "plaintext": "/plaintext",
    "db": "/db",
    "queries": "/queries?queries=",
    "fortunes": "/fortunes",
    "updates": "/updates?queries=",
}
"""The tests, and their customary paths."""
COUNTS = {"2": 2, "0": 1, "foo": 1, "501": 500, "": 1}
"""Numbers of queries that a server has to make sense of, and the number of rows."""
DRAWN = 8
"""Requests of `db` whose ids are compared."""
DATE_PAUSE_S = 3.0
LONGEST_PAGE = 65_536
"""Bytes of a page with 13 rows: the parser takes long for a large one that is malformed."""
LONGEST_NUMBER = 10
_KEYS = ("id", "randomNumber")
_JSON, _HTML, _TEXT = "application/json", "text/html; charset=utf-8", "text/plain"
_ACCEPT = {name: dict(get(name).measured[0].headers)["Accept"] for name in ("json", "plaintext")}


def verify(
    client: Client, paths: Mapping[str, str], date_pause_s: float = DATE_PAUSE_S
) -> Iterator[Step]:
    """Sends the requests of these tests, and yields each with its findings."""
    accept = _ACCEPT["json"]
    for test, path in paths.items():
        match test:
            case "json":
                yield client.ask(test, path, accept, _JSON, _hello)
                yield client.ask_cut(test, path, accept, _hello)
                yield client.ask_again(test, path, accept, date_pause_s)
            case "plaintext":
                yield client.ask(test, path, _ACCEPT["plaintext"], _TEXT, _plaintext)
                yield client.ask_at_once(test, path, _ACCEPT["plaintext"], _plaintext)
            case "db":
                yield client.ask(test, path, accept, _JSON, _one_row)
                yield client.ask(test, path, accept, None, _draws(client, path), DRAWN)
            case "fortunes":
                yield client.ask(test, path, accept, _HTML, _fortunes)
            case _:
                for given, number in COUNTS.items():
                    yield client.ask(test, f"{path}{given}", accept, _JSON, _rows(number))


def _hello(reply: Reply) -> list[Finding]:
    found, fault = _parse(reply)
    if not fault and not isinstance(found, dict):
        fault = "no object"
    if not fault and found.get("message") != "Hello, World!":
        fault = f"`message` is `{found.get('message')}`"
    more = sorted(set(found) - {"message"}) if isinstance(found, dict) else []
    return [
        keeps('{"message": "Hello, World!"} as JSON', fault),
        keeps("no other keys", ", ".join(f"`{key}`" for key in more), otherwise="warn"),
    ]


def _plaintext(reply: Reply) -> list[Finding]:
    right = reply.body == b"Hello, World!"
    fault = "" if right else f"`{reply.body[:40].decode('latin-1')}`"
    return [keeps("the body is `Hello, World!`", fault)]


def _one_row(reply: Reply) -> list[Finding]:
    found, fault = _parse(reply)
    several = isinstance(found, list)
    found = _only(found)
    return [
        keeps("an object, and no array around it", "an array" if several else "", otherwise="warn"),
        keeps("a row: `id` and `randomNumber` are numbers", fault or _row_fault(found)),
        _in_range([found]),
    ]


def _only(found: Any) -> Any:
    """The row in an array of one, which the suite lets pass; else what was found."""
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def _draws(client: Client, path: str) -> Judge:
    """The judge of one more reply of `db`, and of those to several requests after it."""

    def judge(reply: Reply) -> list[Finding]:
        ids = {
            str(_id_of(one)) for one in (reply, *client.replies(path, _ACCEPT["json"], DRAWN - 1))
        }
        fault = f"always {min(ids)}" if len(ids) == 1 else ""
        return [keeps("each request draws an id", fault)]

    return judge


def _id_of(reply: Reply) -> Any:
    found, fault = _parse(reply)
    row = _only(found)
    if fault or not isinstance(row, dict):
        raise ReplyError(f"a reply without a row: {fault or 'no object'}")
    return row.get("id")


def _rows(number: int) -> Judge:
    """The judge of a reply with this number of rows."""

    def judge(reply: Reply) -> list[Finding]:
        found, fault = _parse(reply)
        rows = found if isinstance(found, list) else []
        fault = fault or ("" if isinstance(found, list) else "no array")
        wrong = fault or next(filter(None, map(_row_fault, rows)), "")
        count = "" if len(rows) == number else f"{len(rows)} rows"
        return [
            keeps("an array of rows: `id` and `randomNumber` are numbers", wrong),
            keeps(f"{number} in the array", count, otherwise="warn" if number == 500 else "fail"),
            _in_range(rows),
        ]

    return judge


def _parse(reply: Reply) -> tuple[Any, str]:
    """The value of a JSON body, or its fault."""
    try:
        return json.loads(reply.body), ""
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {error}"


def _row_fault(row: Any) -> str:
    if not isinstance(row, dict):
        return "no object"
    wrong = [name for name in _KEYS if _number(row.get(name)) is None]
    return f"`{wrong[0]}` is `{row.get(wrong[0])}`" if wrong else ""


def _number(given: Any) -> int | None:
    """A number, or its digits; None: neither."""
    if isinstance(given, str) and given.isdecimal() and len(given) <= LONGEST_NUMBER:
        return int(given)
    return given if type(given) is int else None


def _in_range(rows: list[Any]) -> Finding:
    right = [row for row in rows if not _row_fault(row)]
    numbers = [_number(row[name]) or 0 for row in right for name in _KEYS]
    outside = [f"`{number}`" for number in numbers if not 1 <= number <= ROWS]
    return keeps(f"numbers from 1 to {ROWS:,}", "".join(outside[:1]), otherwise="warn")


class _Page(HTMLParser):
    """The table of the fortunes: the texts of its cells by row, and elements inside of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside: list[str] = []
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self._in_cell = True
        elif self._in_cell:
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data


def _fortunes(reply: Reply) -> list[Finding]:
    text, unread = "", "" if len(reply.body) <= LONGEST_PAGE else f"{len(reply.body):,} bytes"
    if not unread:
        try:
            text = reply.body.decode()
        except UnicodeDecodeError as error:
            unread = str(error)
    page = _Page()
    page.feed(text)
    page.close()
    header, rows = (page.rows or [[]])[0], page.rows[1:]
    messages = [row[-1] for row in rows if row]
    number = len(FORTUNES) + 1
    return [
        keeps(f"UTF-8, at most {LONGEST_PAGE:,} bytes", unread),
        keeps("a doctype", "" if text.lstrip().lower().startswith("<!doctype html>") else "none"),
        keeps("the table's head is `id`, `message`", _unless(header == ["id", "message"], header)),
        keeps(f"{number} rows of 2 cells", _unless(_are_pairs(rows, number), len(rows))),
        keeps("the row that is added to each page", _unless(["0", ADDED] in rows, "missing")),
        keeps("sorted by message", _unless(messages == sorted(messages), "another order")),
        keeps("messages are escaped", ", ".join(f"<{tag}>" for tag in page.inside)),
    ]


def _are_pairs(rows: list[list[str]], number: int) -> bool:
    return len(rows) == number and all(len(row) == 2 for row in rows)


def _unless(right: bool, seen: object) -> str:
    return "" if right else f"`{seen}`"

"""A server of TechEmpower's database tests, right or wrong: `python world_server.py PORT MODE`.

It finds its database in `DATABASE_URL`. `caching` answers from memory what it has read once;
`skipping` leaves out some queries; `crossed` keeps the id of a request where others overwrite it;
`keeping` keeps the row that it adds to the fortunes; `unwritten` rolls its updates back.
"""

from __future__ import annotations

import html
import json
import os
import random
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg

ADDED = (0, "Additional fortune added at request time.")
MODE = sys.argv[2] if len(sys.argv) > 2 else "right"
SEEN: dict[int, int] = {}
KEPT: list[tuple[int, str]] = []
LAST = [1]


class Handler(BaseHTTPRequestHandler):
    """One connection, with a connection to the database of its own."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.database = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)

    def finish(self) -> None:
        self.database.close()
        super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""

    def do_GET(self) -> None:
        at = urlsplit(self.path)
        given = parse_qs(at.query, keep_blank_values=True)
        match at.path:
            case "/db":
                self.answer(json.dumps(self.row(int(given["id"][0]))), "application/json")
            case "/queries":
                rows = [self.row(self.drawn()) for _ in range(number_of(given))]
                self.answer(json.dumps(rows), "application/json")
            case "/updates":
                self.answer(json.dumps(self.updated(number_of(given))), "application/json")
            case "/fortunes":
                self.answer(self.fortunes(), "text/html; charset=utf-8")
            case "/drop":
                self.database.execute("DROP TABLE fortune")
                self.answer("dropped", "text/plain")
            case _:
                self.answer("PONG", "text/plain")

    def drawn(self) -> int:
        return random.randint(1, 10_000)

    def row(self, number: int) -> dict[str, Any]:
        if MODE == "crossed":
            LAST[0] = number
            time.sleep(0.001)
            number = LAST[0]
        if MODE == "caching" and number in SEEN:
            return {"id": number, "randomNumber": SEEN[number]}
        if MODE == "skipping" and number % 10 == 0:
            return {"id": number, "randomNumber": 1}
        text = "SELECT id, randomnumber FROM world WHERE id = %s"
        found = self.database.execute(text, [number]).fetchone()
        assert found is not None
        SEEN[found[0]] = found[1]
        return {"id": found[0], "randomNumber": found[1]}

    def updated(self, number: int) -> list[dict[str, Any]]:
        drawn = sorted(random.sample(range(1, 10_001), number))
        rows = [self.row(one) for one in drawn]
        with self.database.transaction() as changes:
            for one in rows:
                one["randomNumber"] = random.randint(1, 10_000)
                values = [one["randomNumber"], one["id"]]
                text = "UPDATE world SET randomnumber = %s WHERE id = %s"
                self.database.execute(text, values)
            if MODE == "unwritten":
                raise psycopg.Rollback(changes)
        return rows

    def fortunes(self) -> str:
        rows = self.database.execute("SELECT id, message FROM fortune").fetchall()
        if MODE == "keeping":
            KEPT.append(ADDED)
        rows += KEPT or [ADDED]
        cells = "".join(
            f"<tr><td>{one}</td><td>{html.escape(message)}</td></tr>"
            for one, message in sorted(rows, key=lambda row: row[1])
        )
        return (
            "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
            f"<tr><th>id</th><th>message</th></tr>{cells}</table></body></html>"
        )

    def answer(self, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def number_of(given: dict[str, list[str]]) -> int:
    text = given.get("queries", [""])[0]
    return min(500, max(1, int(text))) if text.isdecimal() else 1


class Server(ThreadingHTTPServer):
    request_queue_size = 256


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

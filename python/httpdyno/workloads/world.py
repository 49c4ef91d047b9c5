"""The tables of TechEmpower's tests: World with 10,000 rows, Fortune with 12.

The columns, the numbers of rows and the kinds of characters are those of TechEmpower; the messages
are our own, with the same lengths and the same order. The number of a World row follows from its
id, so that a reply can be checked: each number from 1 to 10,000 is there once.
"""

from __future__ import annotations

ROWS = 10_000
ADDED = "Additional fortune added at request time."
"""The row that a server adds to the fortunes of the database, with the id 0."""
FORTUNES = {
    1: "work it out twice, then trust none",
    2: "A cache that is never wrong is a cache that isn't ever asked, or so.",
    3: "All tests passed, because none of them looked in.",
    4: "A 5 + 5 = 10, 15, 20, 25 ... is how estimates are made, on avg.",
    5: "A bug that nobody reports is a feature which nobody has yet documented yet.",
    6: "Even a stopped clock is right twice a day — a fast one is never though.",
    7: "Any loop ends, given enough electricity.",
    8: "A long list of little things to do — and no time to read it.",
    9: "First measure, then have a say",
    10: "Computers do what they are told, and only that...",
    11: '<script>alert("No browser may ever run this line of a table (or so).")</script>',
    12: "測ることは知ることである。早",
}
"""The messages by their ids."""


def number_of(row: int) -> int:
    """The number of a World row in a fresh database. 7919 and 10,000 have no common divisor."""
    return row * 7919 % ROWS + 1


CHANGED = "SELECT count(*) FROM world WHERE randomnumber <> id * 7919 % 10000 + 1"
"""Counts the rows with another number than in a fresh database."""


def statements() -> list[str]:
    """The statements that make and fill the tables, under both of the names that drivers use."""
    rows = ", ".join(f"({row}, {_quote(message)})" for row, message in FORTUNES.items())
    texts = (_WORLD, _NUMBERS, _FORTUNE, _MESSAGES)
    pairs = (("world", "fortune"), ('"World"', '"Fortune"'))
    return [
        text.replace("WORLD", world).replace("FORTUNE", fortune).replace("ROWS", rows)
        for world, fortune in pairs
        for text in texts
    ]


_WORLD = "CREATE TABLE WORLD (id integer PRIMARY KEY, randomnumber integer NOT NULL DEFAULT 0)"
_NUMBERS = "INSERT INTO WORLD SELECT id, id * 7919 % 10000 + 1 FROM generate_series(1, 10000) AS id"
_FORTUNE = "CREATE TABLE FORTUNE (id integer PRIMARY KEY, message varchar(2048) NOT NULL)"
_MESSAGES = "INSERT INTO FORTUNE VALUES ROWS"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

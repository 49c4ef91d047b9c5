"""The ids, the numbers and the added row of TechEmpower's tests."""

from random import randint, sample

ROWS = 10_000
ADDED = {"id": 0, "message": "Additional fortune added at request time."}


def drawn():
    return randint(1, ROWS)


def ids(queries):
    """As many different ids as a request asks for: an ORM would not read a row twice."""
    number = min(max(int(queries), 1), 500) if queries and queries.isdecimal() else 1
    return sample(range(1, ROWS + 1), number)

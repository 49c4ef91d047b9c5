"""The counters of pg_stat_statements, as reads, rows and writes of some tables."""

from __future__ import annotations

import pytest
from httpdyno.host.pinning import beside
from httpdyno.services.database import Counters, count_queries

READ = "SELECT id, randomnumber FROM world WHERE id = $1"


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (READ, Counters(3, 3, 7, 0)),
        ('select * from "World" where id = $1', Counters(3, 3, 7, 0)),
        ("/* an application */ SELECT 1 FROM public.world", Counters(3, 3, 7, 0)),
        ("  (SELECT id FROM world) UNION ALL (SELECT id FROM world)", Counters(3, 3, 7, 0)),
        ("SELECT message FROM fortune", Counters(3, 0, 0, 0)),
        ("SELECT * FROM worlds", Counters(3, 0, 0, 0)),
        ("UPDATE world SET randomnumber = $1 WHERE id = $2", Counters(3, 0, 0, 7)),
        (
            "WITH v AS (SELECT $1 AS id) UPDATE world SET randomnumber = $2 FROM v",
            Counters(3, 0, 0, 7),
        ),
        ("WITH one AS (SELECT $1) SELECT * FROM world", Counters(3, 3, 7, 0)),
        ("SELECT pg_advisory_unlock_all()", Counters(3, 0, 0, 0)),
        ("BEGIN", Counters()),
        ("SET application_name = $1", Counters()),
    ],
)
def test_statements_are_counted_by_what_they_do_to_the_tables(
    statement: str, found: Counters
) -> None:
    assert count_queries([(statement, 3, 7)], ["world"]) == found


def test_counters_add_up() -> None:
    rows = [(READ, 3, 3), (READ.lower(), 4, 4), ("UPDATE world SET id = 1", 1, 20)]
    assert count_queries(rows, ["world"]) == Counters(8, 7, 7, 20)


def test_a_database_has_processors_of_its_own_where_two_are_left() -> None:
    assert beside([0, 1, 2, 3], 1) == ([3], [0, 1, 2])
    assert beside([0, 1, 2, 3], 2) == ([2, 3], [0, 1])
    assert beside([0, 1, 2, 3], 9) == ([2, 3], [0, 1])
    assert beside([4, 6], 1) == ([4], [4, 6])
    assert beside([0], 1) == ([0], [0])

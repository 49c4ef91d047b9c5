"""The rules on the database beside the server."""

from __future__ import annotations

from httpdyno.verdict.checks import database
from httpdyno.verdict.rule import SPEED, Rule

DATABASE_RULES: dict[str, Rule] = {
    "too_few_queries": Rule(
        database.too_few_queries,
        "invalid",
        0.01,
        "replies did not come from the database: {count} for {replies} (expected {expected})",
        "a server has to read its rows anew for each request: remove its cache, and send each query"
        " by itself",
        unless=("no_reply", "wrong_replies"),
    ),
    "rows_not_read": Rule(
        database.rows_not_read,
        "invalid",
        0.01,
        "replies have rows that were not read: {count} for {replies} (expected {expected})",
        "a server has to read all rows of each reply: look for conditions and limits in its"
        " queries",
        unless=("no_reply", "wrong_replies", "too_few_queries"),
    ),
    "updates_not_written": Rule(
        database.updates_not_written,
        "invalid",
        0.01,
        "updates were not written: {what}",
        "a server has to write each row that its reply shows: look for transactions that it does"
        " not commit",
        unless=("no_reply", "wrong_replies", "too_few_queries", "rows_not_read"),
    ),
    "database_limit": Rule(
        database.database_limit,
        "suspect",
        0.90,
        "the database was the bottleneck, not the server: it used {share} of its CPUs (limit"
        " {limit}){server}",
        "the server may be faster than this: give the database more CPUs, or read the CPU per"
        " request, which is counted apart",
        doubts=SPEED,
    ),
    "database_shares": Rule(
        database.database_shares,
        "suspect",
        0.90,
        "the database used most of the CPU time that it shares with the server: {share} of their"
        " CPUs, and the server {server} (together {together}, limit {limit})",
        "the server may be faster than this: use a machine with a CPU for the database, or read the"
        " CPU per request, which is counted apart",
        doubts=SPEED,
    ),
}

"""Options of other load generators, each with the flag of `httpdyno load` that does the same.

Of wrk, wrk2, hey, oha, k6, vegeta, bombardier, autocannon, h2load and ghz. `--store` is one of
other verbs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

__all__ = ["foreign"]

_THREADS_OR_TIMEOUT = "`--threads N` (wrk) or `--timeout TIME` (hey, oha, bombardier)"
_SCRIPT = (
    "there are no scripts; placeholders such as `{random:1:9}`, and `--workload`, vary requests"
)
_LATENCY = "response times with their percentiles are always shown"
_METHOD = "`-X METHOD`"
_FILE_OF_BODY = "`--body @FILE`"
_NO_KEEP_ALIVE = "`--no-keep-alive`"
_REDIRECTS = "redirects are never followed"
_LOG = "`--call-log FILE` (each call), `--intervals FILE` (each second) or `--json FILE`"
_STORE = "it stores nothing; use `--json FILE`, or measure a study (`httpdyno run --store URL`)"
_ACCEPT = "`-H 'Accept-Encoding: …'`, or `--gzip` to accept gzip"

_POINTERS = {
    ("-t",): _THREADS_OR_TIMEOUT,
    ("-s", "--script"): _SCRIPT,
    ("-L", "-l", "--latency", "--latencies", "-latency"): _LATENCY,
    ("-U", "--latency-correction"): "response times count from when each call was due, always",
    ("-R", "--overallRate"): "`--rate N`",
    ("-z",): "`--duration TIME`",
    ("-http2", "-h2", "-h2c"): "`--http 2`",
    ("--alpn-list", "--npn-list"): "`--http 2` or `--http 3`",
    ("-m",): _METHOD,
    ("-a", "--basic-auth"): "`--user NAME:PASSWORD`",
    ("-A",): "`-H 'Accept: …'`",
    ("-T", "--content-type"): "`-H 'Content-Type: …'`",
    ("-b",): "`--body TEXT`",
    ("-D", "-f", "--body-file", "-body"): _FILE_OF_BODY,
    ("-o", "--out", "--output", "-output", "--csv"): _LOG,
    ("--summary-export",): "`--json FILE`",
    ("-x",): "`--proxy URL`",
    ("-host",): "`-H 'Host: …'`",
    ("-cpus", "--workers", "-workers", "-w"): "`--threads N`",
    ("-max-workers", "-max-connections"): "`--connections N`",
    ("--vus",): "`--connections N`",
    ("-i", "--iterations"): "`--requests N`",
    ("--rps",): "`--rate N`",
    ("--stage", "--stages"): "`--rate 100:500/30s` (a ramp) or `--rate 100x10s,500x10s` (steps)",
    ("-targets", "--targets"): "`--urls FILE`",
    ("-keepalive", "-disable-keepalive", "--disable-keepalive"): _NO_KEEP_ALIVE,
    ("-redirects", "-disable-redirects", "--redirect", "--follow"): _REDIRECTS,
    ("-disable-compression", "--disable-compression"): _ACCEPT,
    ("-p", "--pipelining"): "`--burst N` pipelines requests",
    ("--no-tui", "-no-tui"): "`--quiet`",
    ("--store",): _STORE,
    ("--cacert",): "`--ca FILE`",
    ("--call",): "a method is in the URL: `grpc://HOST:PORT/pkg.Service/Method`",
    ("--protoset",): "`--proto FILE`, which may be a set of descriptors",
    ("--skipTLS", "--skip-tls-verify"): "`--insecure`",
    ("--metadata",): "`-H 'name: value'`",
}
_MEANINGS = {name: meaning for names, meaning in _POINTERS.items() for name in names}
_LONG = re.compile(r"-[a-z][a-z0-9-]{2,}")


def foreign(words: Sequence[str], own: Collection[str], valued: Collection[str]) -> Iterator[str]:
    """A sentence for each option of another load generator.

    `own` are the flags of the command, `valued` those of them that are followed by a value.
    """
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        name = word.partition("=")[0]
        if not word.startswith("-") or before in valued:
            continue
        if re.fullmatch(r"-q[0-9]+", word) or (word == "-q" and after.isdecimal()):
            yield "`-q` is short for `--quiet`: use `--rate N` for requests per second"
        elif name not in own and (meaning := _meaning(name, own)):
            yield meaning


def _meaning(name: str, own: Collection[str]) -> str | None:
    for one in (name, name[:2]):
        if one not in own and (found := _MEANINGS.get(one)):
            return _sentence(one, f"use {found}" if found.startswith("`") else found)
    if _LONG.fullmatch(name) and f"-{name}" in own:
        return _sentence(name, f"did you mean `-{name}`?")
    return None


def _sentence(name: str, meaning: str) -> str:
    return f"`{name}` is not a flag of `httpdyno load`: {meaning}"

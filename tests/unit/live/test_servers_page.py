"""The page of servers, from a server that is installed."""

from __future__ import annotations

from pathlib import Path

from httpdyno.servers import Installation, load_catalogue
from httpdyno.web.templates import page


def test_the_version_of_a_server_ends_without_the_comma_of_its_list() -> None:
    server = load_catalogue().get("nginx")
    done = Installation(server, Path("prefix"), "3.3.21, GHC 9.4.7", Path("log"))
    rows = [(server, done)]
    html = page("servers", here="/servers", rows=rows, languages=[("", "any")], language="")
    assert ">3.3.21</td>" in html

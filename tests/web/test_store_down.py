"""The page while the database of results cannot be reached."""

from __future__ import annotations

import pytest
from page_server import live_keys, served
from postgresql_server import PostgreSQL
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
PAGES = ("/", "/runs/1", "/runs/1/result.json", "/compare", "/history")


def test_a_file_that_is_no_database_is_said_on_every_page_that_needs_it(place: Place) -> None:
    (place.home / "DATA").mkdir()
    (place.home / "DATA" / "results.sqlite").write_bytes(b"no database" * 1000)
    with served(place) as site:
        for path in PAGES:
            answer = site.ask(path)
            assert answer.status == 503, path
            assert "results.sqlite" in answer.text
            assert "a bug in httpdyno" not in answer.text
        for path in ("/start", "/servers"):
            assert site.ask(path).status == 200


def test_runs_under_way_are_shown_while_the_database_is_down_and_the_rest_once_it_is_back(
    place: Place, postgresql: PostgreSQL
) -> None:
    url = postgresql.url(postgresql.new_database())
    place.environment["HTTPDYNO_STORE"] = url
    with served(place) as site:
        assert site.ask("/").status == 200
        assert place.call("load", f"{site.url}/static/icon.svg", "--requests", "3").returncode == 0
        (key,) = live_keys(place)
        postgresql.stop()
        try:
            front = site.ask("/")
            assert front.status == 503
            assert f"/live/{key}" in front.text
            assert "the results database" in front.text
            assert site.ask("/history").status == 503
            assert site.ask(f"/live/{key}").status == 200
        finally:
            postgresql.start()
        assert site.ask("/").status == 200

"""The page of a history: its answer, changes with their doubts, and runs without a result."""

from __future__ import annotations

from httpdyno.result import Reason
from page_server import served
from stored_runs import VERSIONS, store_in, store_run, study
from study_place import Place


def test_a_slower_version_that_overloads_the_server_stays_in_sight(place: Place) -> None:
    data = place.home / "DATA"
    data.mkdir()
    store, of = store_in(data), study(place.home)
    doubt = Reason(code="backlog", status="suspect", text="a backlog: 9", hint="less")
    wrong = Reason(code="wrong", status="invalid", text="wrong replies: 9", hint="fix it")
    for night, rate in enumerate([4000, 3900, 4100, 2000, 2100, 1900, 2050]):
        versions = {**VERSIONS, "alpha": "1.24.0" if night < 3 else "1.26.1"}
        reasons = [[], [doubt], [wrong]][(night >= 3) + (night >= 6)]
        store_run(store, of, night, rates={"alpha": rate}, versions=versions, reasons=reasons)
    with served(place) as site:
        page = site.ask("/history?arm=alpha").text
    text = " ".join(page.split())
    assert '50 % lower, worse, from <a href="/runs/4">run 4</a> on' in text
    assert "3 of the 6 runs that it rests on are suspect (run 6: a backlog)." in text
    assert "no result in run 7: wrong replies" in text
    assert "none shown; a rise of " in text
    assert "Run 7, the newest, has no result in" in text


def test_a_change_that_a_suspect_run_hides_is_in_the_row_of_its_series(place: Place) -> None:
    data = place.home / "DATA"
    data.mkdir()
    store, of = store_in(data), study(place.home)
    doubt = Reason(code="backlog", status="suspect", text="a backlog: 9", hint="less")
    for night, rate in enumerate([4000] * 5 + [12_000] + [3000] * 2):
        reasons = [doubt] if night == 5 else []
        store_run(store, of, night, rates={"alpha": rate}, reasons=reasons)
    with served(place) as site:
        text = " ".join(site.ask("/history?arm=alpha").text.split())
    row = text.partition("response time, p99")[2].partition("</tr>")[0]
    assert "none shown; without the suspect number, 1 change shows; " in row

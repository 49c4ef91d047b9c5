"""The conformance table of a report."""

from __future__ import annotations

import re

import large_sample
import sample
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.page import render
from httpdyno.report.text.conformance_table import conformance

SNAP = large_sample.snap()
_found = conformance(SNAP)
assert _found is not None
PROBES, SERVERS = _found.probes, _found.servers
HTML = render(SNAP, [])


def test_the_columns_are_all_probes_in_their_order() -> None:
    assert list(large_sample.PROBES) == PROBES


def test_each_server_and_deployment_is_a_row_whatever_its_workloads() -> None:
    assert [server.name for server in SERVERS] == list(large_sample.FRAMEWORKS)
    assert SERVERS[0].checked == "2026-09-21 14:13 UTC"


def test_every_answer_has_its_own_sign_and_one_not_probed_is_none_of_them() -> None:
    signs = {field.answer: field.sign for server in SERVERS for field in server.fields}
    assert signs == {"yes": "✓", "partly": "◐", "no": "✗", "not probed": "–"}
    assert SERVERS[1].fields[-1].answer == "not probed"
    assert all(len(server.fields) == len(large_sample.PROBES) for server in SERVERS)


def test_the_page_says_what_was_seen_behind_each_sign() -> None:
    table = HTML[HTML.index('id="conformance"') : HTML.index('id="method"')]
    assert table.count('<th scope="row">') == len(SERVERS)
    assert 'data-tip="no: what snap did for keep-alive"' in table
    assert len(re.findall("<td class=", table)) == len(SERVERS) * len(large_sample.PROBES)


def test_the_page_says_which_servers_were_not_probed() -> None:
    first, *others = SNAP.conformance
    some = render(SNAP.model_copy(update={"conformance": others}), [])
    name = f"{first.server}/{first.deployment}"
    assert f"Not probed: {name}." in some
    assert "Not probed" not in HTML


def test_a_result_without_checks_has_no_such_section() -> None:
    result = sample.tiny()
    assert 'id="conformance"' not in render(result, figures(result))

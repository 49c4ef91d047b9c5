"""The page of the servers, and its filter."""

from __future__ import annotations

from page_server import Served


def test_a_server_in_several_languages_is_found_under_each(site: Served) -> None:
    for language in ("C", "Perl", "Python"):
        page = site.ask(f"/servers?language={language}").text
        assert ">cgi<" in page
        assert f'<option value="{language}" selected>' in page
    assert ">cgi<" not in site.ask("/servers?language=Go").text
    assert "C, Perl, Python</option>" not in site.ask("/servers").text

"""The command line that `compare` stores has no credentials."""

from __future__ import annotations

from httpdyno.cli.compare.flags import without_credentials


def test_credentials_in_variables_and_urls_are_not_stored() -> None:
    given = ["compare", "main", "http://me:word@host:1", "--env", "API_KEY=abc", "--env=MODE=x"]
    given += ["--env=SECRET_TOKEN=abc", "--start", "session-server {port}"]
    shown = ["compare", "main", "http://***@host:1", "--env", "API_KEY=***", "--env=MODE=x"]
    shown += ["--env=SECRET_TOKEN=***", "--start", "session-server {port}"]
    assert without_credentials(given) == shown

"""The flags of `compare`: their limits, and the command line without credentials that is stored."""

from __future__ import annotations

from httpdyno.cli.compare.flags import MOST_CORES, without_credentials
from httpdyno.study.own import arm_keys


def test_credentials_in_variables_and_urls_are_not_stored() -> None:
    given = ["compare", "main", "http://me:word@host:1", "--env", "API_KEY=abc", "--env=MODE=x"]
    given += ["--env=SECRET_TOKEN=abc", "--start", "session-server {port}"]
    shown = ["compare", "main", "http://***@host:1", "--env", "API_KEY=***", "--env=MODE=x"]
    shown += ["--env=SECRET_TOKEN=***", "--start", "session-server {port}"]
    assert without_credentials(given) == shown


def test_a_server_may_have_as_many_cores_as_an_arm_of_a_study() -> None:
    assert MOST_CORES == arm_keys.MOST_CORES

"""`httpdyno servers verify`: a server that runs already, by the rules of a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.values import Values, url_path
from httpdyno.errors import ExitCode, TargetError
from httpdyno.listing import either

if TYPE_CHECKING:
    from httpdyno.servers.check.suite import Client

__all__ = ["verify"]

SUITES = ("techempower",)


def verify(
    url: Annotated[str, argument("URL", "Server that runs already, such as http://localhost:8080")],
    suite: Annotated[
        str, option("--suite NAME", "Rules to verify: `techempower` (default: that)")
    ] = "techempower",
    tests: Annotated[
        list[str] | None,
        option(
            "--test NAME", "Only this test, such as `db`, or at a path: `db=/world`; repeatable"
        ),
    ] = None,
    as_json: shared.AsJson = False,
) -> int:
    """Verify a running server by the rules of a suite, and print the wire for each check.

    Exit code 3 when a rule is broken. A warning is not a failure in the suite either.

    \b
    Examples:
      httpdyno servers verify http://localhost:8080 --suite techempower
      httpdyno servers verify http://localhost:8080 --test json --test plaintext
      httpdyno servers verify http://localhost:8080 --test 'queries=/worlds?queries='
    """
    from httpdyno.cli.servers.verify_view import show_steps
    from httpdyno.servers.check.techempower import PATHS
    from httpdyno.servers.check.techempower import verify as steps_of

    faults = Faults("httpdyno servers verify --help")
    values = Values(faults)
    client = values.read("URL", url, _client)
    values.choice("--suite", suite, SUITES)
    given = dict(filter(None, (values.read("--test", one, _test) for one in tests or ())))
    faults.raise_any()
    if client is None:
        return ExitCode.USAGE
    _require_reachable(client, url)
    steps = show_steps(steps_of(client, given or PATHS), as_json=as_json)
    return ExitCode.TARGET if any(one.outcome == "fail" for one in steps) else ExitCode.OK


def _client(text: str) -> Client:
    """The client of a server. Raises ValueError for a URL that names none."""
    from httpdyno.address import parse_url
    from httpdyno.engine_plan import Target, Tls
    from httpdyno.servers.check.suite import Client

    address = parse_url(text)
    if address.path != "/":
        raise ValueError("expected only scheme, host and port; `--test` names other paths")
    tls = Tls() if address.tls else None
    return Client(Target(host=address.host, port=address.port, tls=tls), address.authority)


def _require_reachable(client: Client, url: str) -> None:
    from httpdyno.servers.check.client import NoConnectionError

    try:
        client.connect().close()
    except NoConnectionError as error:
        raise TargetError(
            f"`{url}` cannot be reached: {error}", hint="start the server, then try again"
        ) from None


def _test(text: str) -> tuple[str, str]:
    """The name of a test, and its path. Raises ValueError."""
    from httpdyno.servers.check.techempower import PATHS

    name, equals, path = text.partition("=")
    if name not in PATHS:
        raise ValueError(f"`{name}` is not a test: expected {either(list(PATHS))}")
    return name, url_path(path) if equals else PATHS[name]

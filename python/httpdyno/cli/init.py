"""`httpdyno init`: write a study to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.load.arguments.own_workload import StudyWorkload
from httpdyno.cli.load.arguments.request_flags import StudyRequestFlags
from httpdyno.cli.own_server import PAGE, OwnServer, check_commands, read_own_server
from httpdyno.cli.values import Values, printable_name
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.echo import echo
from httpdyno.output.places import quoted_path
from httpdyno.output.secrets import hidden_headers

__all__ = ["init"]

TEMPLATE = Path(__file__).parent.parent / "study" / "template.toml"
NAME = "study.toml"

OWN = """\
# {what} Every key: docs/guides/your-own-study.md
#
#   {run} --dry-run     show the plan and check this file
#   {run}               measure, and write the report

title            = "My server"
arms             = {arms}
{inline}loads.full-speed = {{ kind = "closed", connections = 10, duration = "2s" }}
loads.steady     = {{ kind = "requests", rate = 250, duration = "5s" }}

# full-speed shows the throughput. steady shows the latency at a rate: choose one that you expect.
# Status 404: the server has no such page. Change `path` {at} to one that it has, such as "/hello".
# Check the replies too: expect = {{ status = 200, body = "Hello" }}, or length = 5, or same = true.
# {more}
{requests}"""
_STARTED = (
    "A server that this command starts anew for each trial, on `{port}` (which is also PORT in its"
    "\n# environment)."
)
_RUNNING = "A server that runs already."
_MORE_STARTED = 'More keys of an arm: build, cwd, env, ready = "/health", cores.'
_MORE_RUNNING = (
    "It is not restarted between trials; `start` in place of `url` gives a command that does so."
)


def init(
    file: Annotated[
        Path,
        argument("FILE", f"File to write (default {NAME})"),
    ] = Path(NAME),
    url: shared.Url = None,
    command: shared.Command = None,
    build: Annotated[
        str | None, option("--build CMD", "Run CMD before the server is started")
    ] = None,
    *,
    requests: StudyRequestFlags,
) -> None:
    """Write a study to begin with, which runs as it is.

    Without a flag, it compares two servers of the catalogue and explains each line. An existing
    file is never overwritten.

    \b
    httpdyno init
    httpdyno init mine.toml
    httpdyno init mine.toml --url http://127.0.0.1:3000/
    httpdyno init mine.toml --command 'uvicorn app:app --port {port}' --path /hello
    httpdyno init mine.toml --url http://127.0.0.1:3000 --urls shop.txt
    """
    if file.suffix != ".toml":
        raise UsageError(
            f"`{file}` is not the name of a study: expected a name that ends in `.toml`"
        )
    run = f"httpdyno run {quoted_path(file)}"
    faults = Faults("httpdyno init --help")
    values = Values(faults)
    values.read("FILE", str(file), printable_name)
    own = read_own_server(values, requests, url, command, build=build)
    if requests.given and not (own.arms or url or command):
        faults.add("no server is given: expected `--url`, `--command` or a list of whole URLs")
    _report_credentials(own.workload, faults)
    faults.raise_any()
    text = TEMPLATE.read_text(encoding="utf-8").replace(NAME, quoted_path(file))
    if own.arms:
        text = _text(own, run)
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise UsageError(
            f"`{file}` exists already: expected the name of a new file",
            hint=f"`{run} --dry-run` shows what it contains",
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be written: {error.strerror}") from None
    echo(f"wrote {file}\n`{run} --dry-run` shows its plan, `{run}` runs it")


def _report_credentials(workload: StudyWorkload, faults: Faults) -> None:
    """Report headers that may be credentials: a study is a file that others read."""
    tables = [] if workload.table is None else workload.table["requests"]
    named = {name for one in tables for name, _ in hidden_headers(one.get("headers", {}))}
    for name in sorted(named):
        faults.add(
            f"the header `{name}` may be a credential, which does not belong into a study:"
            f" expected a variable of the environment, such as `--header '{name}: ${{NAME}}'`"
        )


def _text(own: OwnServer, run: str) -> str:
    """A study of the user's own server. Raises UsageError for a command that cannot be run."""
    from httpdyno.study.read import checked_workload
    from httpdyno.study.write import toml_key, toml_table, toml_value

    (arm,), workload = own.arms, own.workload
    check_commands(arm)
    for value in filter(None, arm.values()):
        if not value.isprintable():
            raise UsageError(f"`{ascii(value)[1:-1]}` has a character that is not printable")
    what, more = (_STARTED, _MORE_STARTED) if "start" in arm else (_RUNNING, _MORE_RUNNING)
    arms, where = toml_value(own.arms), "above" if workload.name == PAGE else "below"
    inline = requests = ""
    if workload.table is None:
        inline = f"workload         = {toml_value(workload.name)}\n"
    elif workload.name == PAGE:
        inline = f"workloads.page   = {toml_value(workload.table)}\n"
    else:
        checked_workload(workload.name, workload.table)
        name = f"workloads.{toml_key(workload.name)}"
        rest = {key: value for key, value in workload.table.items() if key != "requests"}
        tables = [toml_table(f"[{name}]\n", rest)] if rest else []
        header = f"[[{name}.requests]]\n"
        tables += (toml_table(header, one) for one in workload.table["requests"])
        requests = "\n" + "\n".join(tables)
    return OWN.format(
        what=what, run=run, arms=arms, inline=inline, more=more, requests=requests, at=where
    )

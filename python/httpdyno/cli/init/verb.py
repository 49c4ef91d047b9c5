"""`httpdyno init`: write a study to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.init.credentials import as_literal, separate_credentials, write_new
from httpdyno.cli.init.sources import SourceFlags, SourceWorkload, read_source
from httpdyno.cli.load.arguments.request_flags import StudyRequestFlags
from httpdyno.cli.own_server import PAGE, OwnServer, check_commands, read_own_server
from httpdyno.cli.values import Values, printable_name
from httpdyno.errors import UsageError
from httpdyno.output.echo import echo
from httpdyno.output.places import quoted_path
from httpdyno.output.printable import printable

__all__ = ["init"]

TEMPLATE = Path(__file__).parents[2] / "study" / "template.toml"
NAME = "study.toml"

OWN = """\
# {what} Every key: https://httpdyno.github.io/httpdyno/guides/your-own-study/
#
#   {run} --dry-run     show the plan and check this file
#   {run}               measure, and write the report

title            = "My server"
arms             = {arms}
{inline}loads.full-speed = {{ kind = "closed", connections = 10, duration = "2s"{http} }}
loads.steady     = {{ {steady}, duration = "5s"{http} }}

# full-speed shows the throughput. steady shows the latency at a rate: choose one that you expect.
{check}# {more}
{requests}"""
_CHECK_PAGE = """\
# Status 404: the server has no such page. Change `path` {at} to one that it has, such as "/hello".
# Check the replies too: expect = {{ status = 200, body = "Hello" }}, or length = 5, or same = true.
"""
_CHECK_CALL = """\
# Check the replies too: expect = { message = '{"sum": 3}' }, or same = true.
"""
_STEADY = 'kind = "requests", rate = 250'
_IN_SESSIONS = 'kind = "sessions", rate = 25'
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
    sources: SourceFlags,
) -> None:
    """Write a study to begin with, which runs as it is.

    Without a flag, it compares two servers of the catalogue and explains each line. An existing
    file is never overwritten. Headers that may be credentials are written into a file of their
    own, which only you can read.

    \b
    httpdyno init
    httpdyno init mine.toml
    httpdyno init mine.toml --url http://127.0.0.1:3000/
    httpdyno init mine.toml --command 'uvicorn app:app --port {port}' --path /hello
    httpdyno init mine.toml --url http://127.0.0.1:3000 --urls shop.txt
    httpdyno init mine.toml --url grpc://127.0.0.1:50051/shop.Orders/Get --proto orders.proto
    httpdyno init mine.toml --curl "curl http://127.0.0.1:3000/login -d user=me"
    """
    if file.suffix != ".toml":
        raise UsageError(
            f"`{file}` is not the name of a study: expected a name that ends in `.toml`"
        )
    run = f"httpdyno run {quoted_path(file)}"
    faults = Faults("httpdyno init --help")
    values = Values(faults)
    values.read("FILE", str(file), printable_name)
    source = read_source(values, sources)
    if sources.given and requests.given:
        names = ", ".join(f"`{name}`" for name in requests.given)
        faults.add(f"`{sources.given[0]}` says what is sent: expected it without {names}")
    elsewhere = None if source is None else source.workload
    own = read_own_server(values, requests, url, command, build=build, elsewhere=elsewhere)
    if (requests.given or source) and not (own.arms or url or command):
        faults.add("no server is given: expected `--url`, `--command` or a list of whole URLs")
    faults.raise_any()
    text = TEMPLATE.read_text(encoding="utf-8").replace(NAME, quoted_path(file))
    secret: dict[str, str] = {}
    if own.arms:
        text, secret = _study(own, source, run, file.stem)
    write_new(file, text, secret, f"`{run} --dry-run` shows what it contains")
    for note in () if source is None else source.notes:
        echo(f"note: {printable(note)}", err=True)
    echo(f"wrote {file}\n`{run} --dry-run` shows its plan, `{run}` runs it")
    if secret:
        names = ", ".join(secret)
        echo(f"credentials are in {names}: keep it out of version control (`.gitignore`)")


def _study(
    own: OwnServer, source: SourceWorkload | None, run: str, stem: str
) -> tuple[str, dict[str, str]]:
    """A study of the user's own server, and the files with its credentials, by name. Raises
    UsageError for a command that cannot be run."""
    from httpdyno.study.size import MOST_CHARACTERS
    from httpdyno.study.write import toml_value

    (arm,), workload = own.arms, own.workload
    check_commands(arm)
    for value in filter(None, arm.values()):
        if not value.isprintable():
            raise UsageError(f"`{ascii(value)[1:-1]}` has a character that is not printable")
    what, more = (_STARTED, _MORE_STARTED) if "start" in arm else (_RUNNING, _MORE_RUNNING)
    if source is not None:
        arm = {**arm, **source.keys, **(source.keys_of_url if "url" in arm else {})}
    arms = toml_value([arm])
    where, inline, requests, secret = "below", "", "", dict[str, str]()
    if workload.table is None:
        inline = f"workload         = {toml_value(workload.name)}\n"
    elif workload.name == PAGE:
        where, inline = "above", f"workloads.page   = {toml_value(workload.table)}\n"
    else:
        varies = source is None or source.has_placeholders
        inline, requests, secret = _requests(workload.name, workload.table, stem, varies=varies)
    text = OWN.format(
        what=what,
        run=run,
        arms=arms,
        inline=inline,
        steady=_IN_SESSIONS if workload.table and workload.table.get("session") else _STEADY,
        more=more,
        requests=requests,
        check=_CHECK_CALL if workload.has_grpc else _CHECK_PAGE.format(at=where),
        http=', http = "2"' if workload.has_grpc else "",
    )
    if len(text) > MOST_CHARACTERS:
        raise UsageError(
            f"the study would have {len(text):,} characters: expected at most {MOST_CHARACTERS:,}",
            hint="use fewer requests; `httpdyno capacity --urls FILE` takes 100,000",
        )
    return text, secret


def _requests(
    name: str, table: Mapping[str, Any], stem: str, *, varies: bool
) -> tuple[str, str, dict[str, str]]:
    """The key and the tables of a workload, and the files with its credentials, by name."""
    from httpdyno.study.read import checked_workload
    from httpdyno.study.write import toml_key, toml_table, toml_value

    sent = table["requests"]
    checked_workload(name, {**table, "requests": sent if varies else list(map(as_literal, sent))})
    found = separate_credentials(table, stem, has_placeholders=varies)
    env_file = ""
    if found.env_file is not None:
        env_file = f"env_file         = {toml_value(f'./{found.env_file}')}\n"
    key = f"workloads.{toml_key(name)}"
    rest = {key: value for key, value in found.table.items() if key != "requests"}
    tables = [toml_table(f"[{key}]\n", rest)] if rest else []
    tables += (toml_table(f"[[{key}.requests]]\n", one) for one in found.table["requests"])
    return env_file, "\n" + "\n".join(tables), found.files

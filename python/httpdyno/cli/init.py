"""`httpdyno init`: write a study to begin with."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

from httpdyno.address import parse_url
from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.values import Values, url_path
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.echo import echo

__all__ = ["init"]

TEMPLATE = Path(__file__).parent.parent / "study" / "template.toml"
NAME = "study.toml"

OWN = """\
# {what} Every key: docs/guides/your-own-study.md
#
#   {run} --dry-run     show the plan and check this file
#   {run}               measure, and write the report

title            = "My server"
arms             = [{{ name = "mine", {arm} }}]
workloads.page   = {{ requests = [{{ path = {path}, expect = {{ status = 200 }} }}] }}
loads.full-speed = {{ kind = "closed", connections = 10, duration = "2s" }}
loads.steady     = {{ kind = "requests", rate = 250, duration = "5s" }}

# full-speed shows the throughput. steady shows the latency at a rate: choose one that you expect.
# Status 404: the server has no such page. Change `path` above to one that it has, such as "/hello".
# Check the replies too: expect = {{ status = 200, body = "Hello" }}, or length = 5, or same = true.
# {more}
"""
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
    path: shared.PathOfCommand = None,
    build: Annotated[
        str | None, option("--build CMD", "Run CMD before the server is started")
    ] = None,
) -> None:
    """Write a study to begin with, which runs as it is.

    Without a flag, it compares two servers of the catalogue and explains each line. An existing
    file is never overwritten.

    \b
    httpdyno init
    httpdyno init mine.toml
    httpdyno init mine.toml --url http://127.0.0.1:3000/
    httpdyno init mine.toml --command 'uvicorn app:app --port {port}' --path /hello
    """
    if file.suffix != ".toml":
        raise UsageError(
            f"`{file}` is not the name of a study: expected a name that ends in `.toml`"
        )
    run = f"httpdyno run {shlex.quote(str(file))}"
    text = _text(str(file), run, url, command, build, path)
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


def _text(
    file: str,
    run: str,
    url: str | None,
    command: str | None,
    build: str | None,
    path: str | None,
) -> str:
    """The study that the flags ask for. Raises UsageError."""
    faults = Faults("httpdyno init --help")
    values = Values(faults)
    if url is not None and command is not None:
        faults.add("`--url` and `--command` exclude each other: expected one of them")
    if build is not None and command is None:
        faults.add("`--build` applies only to `--command`: expected both")
    if path is not None and command is None:
        faults.add("`--path` applies only to `--command`: a URL has its own")
    address = values.read("--url", url, parse_url)
    values.read("--path", path, url_path)
    faults.raise_any()
    if command is not None:
        return _of_command(run, command, build, path or "/")
    if address is not None:
        return _filled(_RUNNING, run, _MORE_RUNNING, address.path, url=address.origin)
    return TEMPLATE.read_text(encoding="utf-8").replace(NAME, file)


def _of_command(run: str, command: str, build: str | None, path: str) -> str:
    from httpdyno.servers.declaration.own import without_port, words

    words("--command", command)
    if (warning := without_port("--command", command, {})) is not None:
        echo(f"warning: {warning}", err=True)
    if build is not None:
        words("--build", build)
    return _filled(_STARTED, run, _MORE_STARTED, path, start=command, build=build)


def _filled(what: str, run: str, more: str, path: str, **arm: str | None) -> str:
    """A study of one arm with these keys."""
    keys = [f"{key} = {_quoted(value)}" for key, value in arm.items() if value is not None]
    return OWN.format(what=what, run=run, arm=", ".join(keys), path=_quoted(path), more=more)


def _quoted(text: str) -> str:
    """The text as a string of TOML. Raises UsageError for one with control characters."""
    if not text.isprintable():
        raise UsageError(f"`{ascii(text)[1:-1]}` has a character that is not printable")
    return json.dumps(text, ensure_ascii=False)

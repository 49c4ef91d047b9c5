"""Writes docs/reference/ from the program: `make reference-docs`.

The tests hold what is written against what would be written now.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import click
from httpdyno import choices
from httpdyno.engine_plan import TracedPart
from httpdyno.errors import ExitCode
from httpdyno.output.markdown_text import table
from httpdyno.result import Status
from pydantic.json_schema import GenerateJsonSchema

__all__ = ["commands", "pages"]

_WIDTH = 80
_NOTE = "<!-- Written by `make reference-docs`; edits are lost. -->"
_ABOUT_MEASUREMENT = """\
`httpdyno load --json FILE` writes a `LoadRecord`, with the engine's `Measurement` in it and the
`EnginePlan` that asked for it; `--intervals FILE` writes each `Interval` as a line, and
one with zeros for each second of the window in which nothing happened.
`httpdyno sweep --json FILE` writes a `SweepRecord`, with a `Measurement` in each `Point`.
[load.schema.json](load.schema.json) is the JSON schema of a `LoadRecord`. A reader accepts
its own `version` and older ones, ignores fields it does not know, and refuses newer versions. Times
end in `_ns` or `_s` for their unit, rates in `_per_s`; shares are of one.
"""

_ABOUT_CALLS = """\
## The call log

`httpdyno load --call-log FILE` writes one row for each measured call, as CSV with a header, in the
order in which the calls ended; at most 10,000,000. Times are nanoseconds since the run began
(`started_at` of the measurement). A cell is empty if it did not come to that.

| column | meaning |
| --- | --- |
| `due_ns` | when the call was due |
| `sent_ns` | when its bytes were handed to the kernel |
| `first_byte_ns` | when the first byte of its reply arrived |
| `done_ns` | when it ended: its last byte arrived, it failed, or the run gave it up |
| `outcome` | `ok`, `wrong_status`, `wrong_body`, `in_flight` or [an error](../concepts/times.md) |
| `status` | the status of the reply |
| `request` | the request, by its place in the plan, from 0 |
| `header_bytes`, `body_bytes` | the reply as far as it came: head, and body without framing |
| `connection` | the number of the connection |
| `connect_began_ns` | for the first call of a connection: when connecting began |
| `connected_ns` | the same: when the connection was ready for requests, TLS included |

The response time is `done_ns` less `due_ns`, the service time `done_ns` less `sent_ns`.

In Python, `Running.call_log()` returns the same as columns: `log["done_ns"]` is a list of numbers,
and `log.records` has the engine's records, for `numpy.frombuffer` for example. They have 72 bytes,
little-endian: `due_ns`, `sent_ns`,
`connect_began_ns`, `connected_ns`, `first_byte_ns`, `done_ns`, `body_bytes` (8 bytes each),
`connection`, `request`, `header_bytes` (4), `status` (2), `error` (1; 0: none, 1 to 19: the error
classes in the order of `times.md`, 20: in flight), `flags` (1; 1: wrong status,
2: wrong body, 4: the reply allowed another call on its connection).
"""


class _WithMadeDefaults(GenerateJsonSchema):
    """A JSON schema that shows the defaults that are made for each value, such as `[]`."""

    def get_default_value(self, schema: Any) -> Any:
        """The default of a field."""
        make = schema.get("default_factory")
        return super().get_default_value(schema) if make is None else make()


def pages(folder: Path = Path("docs/reference")) -> dict[str, str]:
    """The content of each file of docs/reference/ by its name. `folder` has conformance.json, what
    `httpdyno servers check --save` wrote on some machine."""
    from httpdyno.cli.load.output import record
    from httpdyno.cli.load.output.record import LoadRecord
    from httpdyno.servers import load_catalogue
    from httpdyno.servers.check import results
    from servers_page import servers_page

    fields = LoadRecord.model_json_schema(schema_generator=_WithMadeDefaults)
    schema = json.dumps(fields, indent=2, ensure_ascii=False)
    return {
        "cli.md": _command_line(),
        "exit-codes.md": _exit_codes(),
        "load.schema.json": schema + "\n",
        "measurement.md": _measurement(record),
        "servers.md": servers_page(
            load_catalogue().by_tier(), results.read(folder / "conformance.json"), _NOTE
        ),
    }


def commands() -> Iterator[tuple[str, Any]]:
    """Every command of the program with its context, parents first: (path, context)."""
    from httpdyno.cli.frame.commands import command

    yield from _below(_context(command(), "httpdyno", None))


def _context(command: Any, name: str, parent: Any) -> Any:
    return click.Context(command, info_name=name, parent=parent, terminal_width=_WIDTH)


def _below(context: Any) -> Iterator[tuple[str, Any]]:
    yield context.command_path, context
    group = context.command
    if not hasattr(group, "list_commands"):
        return
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        if not below.hidden:
            yield from _below(_context(below, name, context))


def _command_line() -> str:
    parts = ["# The command line", _NOTE]
    for path, context in commands():
        shown = "\n".join(line.rstrip() for line in context.get_help().strip().splitlines())
        parts.append(f"## {path}\n\n```text\n{shown}\n```")
    return "\n\n".join(parts) + "\n"


def _exit_codes() -> str:
    rows = [(str(code.value), f"`{code.name}`", code.meaning) for code in ExitCode]
    return (
        f"# Exit codes\n\n{_NOTE}\n\n"
        "The exit codes of `httpdyno`; `httpdyno.errors.ExitCode` in Python.\n\n"
        f"{table(('code', 'name', 'meaning'), rows)}\n\n"
        "Where several apply, the first of these counts: 130, 6, 5, 4. A threshold on an invalid\n"
        "measurement says nothing, so 6 comes before 5. Output that cannot be written, to a full\n"
        "disk, gives 4 only if all else went well; a reader that closes a pipe changes nothing.\n\n"
        "`compare` decides about several metrics. One that is worse gives 8, whatever the others\n"
        "are. One without a valid result never passes: it gives 9, and 6 if all lack one. `ci`\n"
        "gives 0 in place of 9, unless `--fail-on undecided` is given.\n"
    )


def _measurement(record: ModuleType) -> str:
    from httpdyno import engine_plan, measurement
    from httpdyno.engine_plan import load, request
    from httpdyno.measurement import (
        calls,
        connections,
        endpoints,
        nodes,
        over_time,
        replies,
        slowest,
        times,
        validity,
    )
    from httpdyno.result import Reason
    from httpdyno.sweep import Point, SweepRecord

    sources = (
        *(record, SweepRecord, Point, Reason),
        *(measurement, calls, endpoints, nodes, connections),
        *(replies, over_time, slowest, validity, times),
        *(engine_plan, load, request),
    )
    tables = [table for source in sources for table in _tables(source)]
    return "\n".join(
        [
            "# What a load measured, as JSON",
            "",
            _NOTE,
            "",
            _ABOUT_MEASUREMENT,
            _ABOUT_CALLS,
            *tables,
        ]
    )


def _tables(source: ModuleType | type) -> Iterator[str]:
    """A table for each model of a module, or for one, its field docs read from its source, the
    whole first."""
    tree = ast.parse(inspect.getsource(source))
    models = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for model in reversed([model for model in models if not model.name.startswith("_")]):
        parts = [one for one in models if one.name in {ast.unparse(base) for base in model.bases}]
        fields_of = [field for part in (*parts, model) for field in _fields(part)]
        rows = [(f"`{name}`", f"`{kind}`", text) for name, kind, text in fields_of]
        fields = table(("field", "type", "meaning"), rows)
        yield f"## {model.name}\n\n{ast.get_docstring(model)}\n\n{fields}\n"


def _fields(model: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """(name, type, meaning) of each field; the meaning is the string that follows it, if any."""
    for node, following in zip(model.body, [*model.body[1:], None], strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        text = ""
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            text = " ".join(str(following.value.value).split())
        yield node.target.id, _kind(node.annotation), text


def _kind(annotation: ast.expr) -> str:
    """A field's type in JSON's words as far as they go: `"a"` or `"b"`, `int or null`."""
    if isinstance(annotation, ast.BinOp):
        return f"{_kind(annotation.left)} or {_kind(annotation.right)}"
    if isinstance(annotation, ast.Name) and annotation.id in _CHOICES:
        return " or ".join(json.dumps(part) for part in _CHOICES[annotation.id])
    if isinstance(annotation, ast.Subscript):
        inner, name = annotation.slice, ast.unparse(annotation.value)
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if name == "Literal":
            return " or ".join(json.dumps(ast.literal_eval(part)) for part in parts)
        if name == "Annotated":
            return _kind(parts[0])
        if name == "list":
            return f"list[{_kind(inner)}]"
    return ast.unparse(annotation).replace("None", "null")


_CHOICES = {
    name: get_args(one)
    for name, one in {**vars(choices), "Status": Status, "TracedPart": TracedPart}.items()
    if get_origin(one) is Literal
}
"""The names that stand for one of a few words."""


def main() -> None:
    """Write every page into the folder named on the command line."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(folder).items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""The data files of --values, whose columns are placeholders of requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from httpdyno.cli.load.arguments.input_files import file_in_memory, read_input
from httpdyno.cli.load.arguments.request_flags import RequestFlags
from httpdyno.cli.values import Values
from httpdyno.engine_plan import DataFile, Html, Json, Request, names_of, parse_data, texts_of

__all__ = ["data_of", "report_unused"]


def data_of(flags: RequestFlags, values: Values) -> list[DataFile]:
    """The data files of the flags, whose columns are then names that placeholders may have, as are
    those of a workload."""
    read = [values.read("--values", text, _data_file) for text in flags.values]
    found = [one for one in read if one is not None]
    try:
        values.names = names_of(found)
    except ValueError as wrong:
        values.faults.add(f"`--values`: {wrong}")
    if flags.workload is not None and any("{" in text for text in (*flags.header, *flags.cookie)):
        values.names += _names_of_workload(flags.workload)
    return found


def _names_of_workload(given: str) -> list[str]:
    """The columns of a workload's data files; none where it has faults, which are reported when its
    requests are read."""
    from httpdyno.errors import HttpdynoError
    from httpdyno.output.places import expanded
    from httpdyno.study.own_servers import is_file
    from httpdyno.study.read import load_workload

    try:
        data = load_workload(expanded(given))[1].data if is_file(given) else ()
        return names_of(map(parse_data, data))
    except (HttpdynoError, ValueError):
        return []


def report_unused(data: Sequence[DataFile], requests: Iterable[Request], values: Values) -> None:
    """Report data files without a placeholder that names a column of theirs."""
    if values.faults:  # they may be of these requests
        return
    unused = {one.name for one in data}
    for request in requests:
        texts = [*texts_of(request), *_answer(request)]
        unused -= {
            name
            for name in unused
            if any(f"{begin}{name}." in text for begin in "{=" for text in texts)
        }
    columns = {name.partition(".")[0]: name for name in reversed(values.names)}
    for name in sorted(unused & columns.keys()):
        values.faults.add(
            f"no request has a value of `{name}`: expected a placeholder such as"
            f" `{{{columns[name]}}}`, or no `--values` for it"
        )


def _answer(request: Request) -> list[str]:
    """The right answer to a request, if it may have values that the request sends."""
    match request.expect.body:
        case Json(json=text) | Html(html=text):
            return [text]
        case _:
            return []


def _data_file(text: str) -> DataFile:
    found = parse_data(text)
    file = read_input(found.file)
    path = file_in_memory(file) if isinstance(file, bytes) else str(file)
    found = replace(found, file=path)
    names_of([found])
    return found

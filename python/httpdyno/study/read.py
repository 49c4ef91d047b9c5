"""Reads studies by name or from files; reports every fault at once, with its file and line."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from httpdyno.engine_plan import parse_data
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.faults import parse_fault
from httpdyno.output.places import expanded
from httpdyno.study.faults import errors_of, explain
from httpdyno.study.model import Study
from httpdyno.study.names import KnownNames, inner_faults, outer_faults
from httpdyno.study.own.secrets import without_secrets
from httpdyno.study.own.workload import OwnWorkload, first_requests
from httpdyno.study.own_servers import resolve_servers
from httpdyno.study.own_workloads import ResolvedWorkloads, resolve_workloads
from httpdyno.study.precision import too_few_blocks
from httpdyno.study.protocols import protocol_faults
from httpdyno.study.sessions import session_faults, with_session_calls
from httpdyno.study.size import MOST_CHARACTERS, too_many_trials
from httpdyno.study.write import toml_of
from httpdyno.toml_lines import Key, key_lines, line_of

_BUILT_IN = Path(__file__).parent.parent / "studies"
_OUR_FIELDS = {name for name, field in Study.model_fields.items() if field.exclude}
"""Fields of a study that are not keys of its file."""
MOST_LISTED = 100
"""An error lists no more faults than this."""


def built_in_studies() -> dict[str, Path]:
    """The built-in studies, by name."""
    return {file.stem: file for file in sorted(_BUILT_IN.glob("*.toml"))}


def folder_of(file: Path) -> str:
    """The folder of a study's file; empty for one that is built in."""
    if file.parent == _BUILT_IN:
        return ""
    return str(expanded(file).parent.resolve()).encode(errors="backslashreplace").decode()


def load_study(name_or_path: str | Path, known: KnownNames | None = None) -> Study:
    """Reads a study by its built-in name or from a file; `known` has the names that it may use.

    Raises UsageError with every fault of the file, one per line: `file:line: given, expected`.
    """
    file = _find(str(name_or_path))
    text = _read(file)
    return parse_study(text, file, known)


def parse_study(text: str, file: Path, known: KnownNames | None = None) -> Study:
    """The study in `text`, which was read from `file`; without `known`, any name will do."""
    return _study(_toml(text, file), text, file, known)


def checked_study(values: Mapping[str, Any], name: str, known: KnownNames) -> Study:
    """A study that no file has, from its keys; None: a key that is not set. The files that it names
    are relative to the working folder. Raises UsageError with every fault."""
    return _study(_set(values), None, Path(f"{name}.toml"), known)


def _set(values: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that are set, also in the tables of a table."""
    return {
        key: _set(value) if isinstance(value, Mapping) else value
        for key, value in values.items()
        if value is not None
    }


def _study(
    written: Mapping[str, Any], text: str | None, file: Path, known: KnownNames | None
) -> Study:
    """`text`: the file that has the keys; None: there is none."""
    lines = key_lines(text or "")
    source = None if text is None else file
    own = resolve_servers(written, file.parent, known)
    if own.faults:
        raise _faulty(source, [(line_of(lines, path), text) for path, text in own.faults])
    whole = _with_workloads(own.values, file, own.known)
    values, known = whole.values, whole.known
    faults = [(line_of(lines, path), text) for path, text in whole.faults]
    faults += [
        (line_of(lines, (key,)), f"`{key}` is not a key of a study")
        for key in values.keys() & _OUR_FIELDS
    ]
    study: Study | None = None
    try:
        study = Study.model_validate(
            {k: v for k, v in values.items() if k not in _OUR_FIELDS}
            | {"name": file.stem, "text": _text_to_store(text, written, values), "file": str(file)}
            | {"folder": folder_of(file)}
            | {"server_files": tuple(map(str, own.files.values()))}
        )
    except ValidationError as error:
        faults += [explain(one, lines) for one in errors_of(error)[:MOST_LISTED]]
    faults += [(line_of(lines, path), text) for path, text in inner_faults(values)]
    if known is not None:
        faults += [(line_of(lines, path), text) for path, text in outer_faults(values, known)]
    if study is not None:
        faults += [(line_of(lines, path), text) for path, text in _unfit(study, known, file)]
        faults += [(line_of(lines, path), text) for path, text in _only_loads(study.workloads)]
        faults += [(line_of(lines, path), text) for path, text in session_faults(study)]
        faults += [(line_of(lines, path), text) for path, text in protocol_faults(study)]
    if study is not None and (too_many := too_many_trials(study)) is not None:
        faults.append((1, too_many))
    if study is not None and (few := too_few_blocks(study.until, study.blocks)) is not None:
        faults.append((line_of(lines, ("until",)), few))
    if faults or study is None:
        raise _faulty(source, faults)
    return with_session_calls(study)


def _text_to_store(text: str | None, written: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """The text of a study without its credentials; of one that no file has, also without the rest
    of a long workload."""
    if text is not None:
        return without_secrets(text, values)
    return toml_of({**written, "workloads": first_requests(written.get("workloads", {}))})


def _with_workloads(
    values: Mapping[str, Any], file: Path, known: KnownNames | None
) -> ResolvedWorkloads:
    """The study with its own workloads; without `known`, as a stored one is read, as it is."""
    if known is None:
        return ResolvedWorkloads(dict(values), None)
    return resolve_workloads(values, file.parent, known, _read_toml)


def _unfit(study: Study, known: KnownNames | None, file: Path) -> Iterator[tuple[Key, str]]:
    """Own arms whose commands, files or URLs cannot be used."""
    read_arm = None if known is None else known.arm
    if read_arm is None:
        return
    for index, group in enumerate(study.arms):
        try:
            if group.own_kind is not None:
                read_arm(group, file.parent)
        except UsageError as error:
            key = error.message.partition("`")[2].partition("`")[0]
            yield ("arms", index, key), error.message


def _only_loads(workloads: Mapping[str, OwnWorkload]) -> Iterator[tuple[Key, str]]:
    """Workloads that use rows once."""
    for name, workload in workloads.items():
        for data in map(parse_data, workload.data):
            if data.order == "once":
                yield (
                    ("workloads", name, "data"),
                    f"the workload `{name}` uses each row of `{data.name}` once, which only"
                    " `httpdyno load` and `httpdyno sweep load` can: a study repeats its"
                    " measurements. Expected the file without `:once`, or with `:random`",
                )


def load_workload(file: Path) -> tuple[str, OwnWorkload]:
    """The name and the requests of a `workload.toml`. Raises UsageError with every fault."""
    given = {"workload": str(file.absolute())}
    whole = resolve_workloads(given, file.parent, KnownNames({}, ()), _read_toml)
    if whole.faults:
        raise UsageError("\n".join(text for _, text in whole.faults))
    name = str(whole.values["workload"])
    return name, OwnWorkload.model_validate(whole.values["workloads"][name])


def checked_workload(name: str, table: Mapping[str, Any]) -> OwnWorkload:
    """A workload that no file has, from its keys; the files that it names are relative to the
    working folder. Raises UsageError with every fault."""
    given = {"workload": name, "workloads": {name: table}}
    whole = resolve_workloads(given, Path(), KnownNames({}, ()), _read_toml)
    faults = [text for _, text in whole.faults]
    try:
        found = OwnWorkload.model_validate(whole.values["workloads"][name])
        faults += [text for _, text in _only_loads({name: found})]
    except ValidationError as error:
        placed = ({**one, "loc": ("workloads", name, *one["loc"])} for one in errors_of(error))
        faults += [explain(one, {})[1] for one in placed]
    if faults:
        raise UsageError("\n".join(dict.fromkeys(faults)))
    return found


def _read_toml(file: Path) -> tuple[dict[str, Any], dict[Key, int]]:
    """The values of another TOML file that a study names, and the lines of its keys."""
    text = _read(file)
    return _toml(text, file), key_lines(text)


def _faulty(file: Path | None, faults: Sequence[tuple[int, str]]) -> UsageError:
    different = sorted(set(faults))[:MOST_LISTED]
    listed = "\n".join(_at_line(file, line, text) for line, text in different)
    what = "this fault" if len(different) == 1 else f"these {len(different)} faults"
    hint = f"fix {what}, then run the command again; with `--dry-run` it only checks the study"
    return UsageError(listed, hint=hint)


def _at_line(file: Path | None, line: int, text: str) -> str:
    """One fault on one line, with control characters escaped."""
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"{'' if file is None else f'{file}:{line}: '}{''.join(shown)}"


def _find(given: str) -> Path:
    studies = built_in_studies()
    if given in studies:
        return studies[given]
    file = expanded(given)
    if file.is_file():
        return file
    begun = [name for name in studies if given and name.startswith(given)]
    if len(begun) == 1:
        return studies[begun[0]]
    beside = f"did you mean `{given}.toml`?" if Path(f"{file}.toml").is_file() else None
    if file.suffix == ".toml" or "/" in given:
        hint = beside or "check the path; `httpdyno init` writes a study to begin with"
        raise UsageError(f"`{given}` is not a file: expected a study in TOML", hint=hint)
    if begun:
        several = " and ".join(f"`{name}`" for name in begun)
        raise UsageError(f"`{given}` is short for {several}: expected the name of one study")
    nearest = difflib.get_close_matches(given, studies, n=1)
    known = ", ".join(f"`{name}`" for name in studies)
    raise UsageError(
        f"`{given}` is not a study: expected {known} or the path of a TOML file",
        hint=beside
        or (
            f"did you mean `{nearest[0]}`?"
            if nearest
            else "`httpdyno init mine.toml` writes a study of your own"
        ),
    )


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8-sig") as opened:
            text = opened.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise UsageError(f"`{file}` is not UTF-8 text: expected a study in TOML") from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from None
    if len(text) > MOST_CHARACTERS:
        raise UsageError(
            f"`{file}` is too large: expected a study of at most {MOST_CHARACTERS:,} characters"
        )
    return text


def _toml(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = re.search(r" \(at line (\d+), column \d+\)$", message)
        line = int(found[1]) if found else text.count("\n") + 1
        what = re.sub(r" \(at [^)]*\)$", "", message)
        raise UsageError(_at_line(file, line, f"not TOML: {what}")) from None
    except RecursionError:
        raise UsageError(
            _at_line(file, 1, "not a study: its lists are nested too deeply")
        ) from None
    except ValueError as error:  # A number of more digits than Python reads, a date that is none.
        raise UsageError(_at_line(file, 1, f"not TOML: {parse_fault(error)}")) from None

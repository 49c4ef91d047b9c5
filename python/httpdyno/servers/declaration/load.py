"""Finds and reads servers: those of the built-in catalogue, and a user's own `server.toml`."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.faults import parse_fault
from httpdyno.output.secrets import masked_url
from httpdyno.servers.declaration import tables
from httpdyno.servers.declaration.families import family_folders, with_families
from httpdyno.servers.declaration.server import Absence, Declaration, Server
from httpdyno.toml_lines import Key, key_lines, line_of

CATALOGUE = Path(__file__).parent.parent / "catalogue"
_KEYS = "https://httpdyno.github.io/httpdyno/guides/add-a-server/ describes each key"
FILE_NAME = "server.toml"


class Catalogue:
    """Servers by name, in alphabetical order."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self._servers = {server.name: server for server in sorted(servers, key=lambda s: s.name)}

    def __iter__(self) -> Iterator[Server]:
        return iter(self._servers.values())

    def and_also(self, servers: Iterable[Server]) -> Catalogue:
        """This catalogue with more servers, which replace those of the same name."""
        return Catalogue([*self, *servers])

    def by_tier(self) -> list[Server]:
        """The servers in the order of lists: a user's own, then those of today first."""
        order = (None, *get_args(tables.Tier))
        return sorted(self, key=lambda server: order.index(server.tier))

    def names(self) -> list[str]:
        """Every name, sorted."""
        return list(self._servers)

    def nearest(self, name: str) -> str | None:
        """The name of a server that is much like this one; None: there is none."""
        return next(iter(difflib.get_close_matches(name, self._servers, n=1)), None)

    def get(self, name: str, own: str = "`--server FILE` adds one of your own") -> Server:
        """The server of that name. Raises UsageError when there is none; its hint has `own`, the
        words on a server that is not in the catalogue."""
        try:
            return self._servers[name]
        except KeyError:
            nearest = self.nearest(name)
            meant = f": did you mean `{nearest}`?" if nearest else ""
            raise UsageError(
                f"`{name}` is not one of the {len(self._servers)} servers of the catalogue{meant}",
                hint=f"`httpdyno servers list` shows them; {own}",
            ) from None


def load_catalogue(extra: Sequence[Path] = ()) -> Catalogue:
    """The built-in catalogue and the files of `extra`, which replace built-in servers by name.

    Raises UsageError with every fault of every file.
    """
    return Catalogue([*_built_in(), *_servers_of(extra)])


@cache
def _built_in() -> Sequence[Server]:
    """The servers that the package has: read once, because its files stay as they are."""
    return _servers_of(sorted(CATALOGUE.glob(f"*/{FILE_NAME}")))


def _servers_of(files: Sequence[Path]) -> Sequence[Server]:
    servers: list[Server] = []
    faults: list[str] = []
    for file in files:
        try:
            servers.append(load_server(file))
        except UsageError as error:
            faults.append(error.message)
    if faults:
        raise UsageError("\n".join(faults), hint=_KEYS)
    return tuple(servers)


def load_server(path: Path) -> Server:
    """Read one `server.toml`, given itself or as its folder.

    Raises UsageError with every fault, each as `file:line: what`.
    """
    file = path / FILE_NAME if path.is_dir() else path
    text = _read(file)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"`{file}` is not TOML: {parse_fault(error)}") from None
    faults: list[tuple[int, str]] = []
    declaration: Absence | Declaration | None = None
    lines = key_lines(text)
    values = with_families(values)
    try:
        declaration = _kind(values).model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        faults = [_fault(entry, lines, absent="unavailable" in values) for entry in found]
    faults += [(line_of(lines, place), message) for place, message in _missing_files(values, file)]
    if faults or declaration is None:
        listed = [f"{file}:{line}: {message}" for line, message in sorted(faults)]
        raise UsageError("\n".join(listed), hint=_KEYS)
    given = declaration.model_dump()
    given["title"] = declaration.title or declaration.name
    return Server(**given, folder=file.parent.resolve())


def _kind(values: dict[str, Any]) -> type[Absence] | type[Declaration]:
    return Absence if "unavailable" in values else Declaration


def _read(file: Path) -> str:
    try:
        if file.exists() and not file.is_file():  # a FIFO could keep its reader waiting for ever
            raise UsageError(f"`{file}` is not a file: expected a {FILE_NAME}, or its folder")
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(
            f"`{file}` does not exist: expected a {FILE_NAME}, or its folder"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"`{file}` is not UTF-8 text: expected a {FILE_NAME}") from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from None


def _fault(entry: Any, lines: dict[Key, int], *, absent: bool) -> tuple[int, str]:
    """An error of pydantic as (line, sentence)."""
    place = tuple(part for part in entry["loc"] if part != "[key]")
    key = ".".join(map(str, place))
    line = line_of(lines, place)
    match entry["type"]:
        case "missing":
            return line, f"`{key}` is missing"
        case "extra_forbidden" if absent:
            return line, f"`{key}` is not a key of an unavailable server"
        case "extra_forbidden":
            return line, f"`{key}` is not a key of server.toml{_nearest_key(place)}"
        case "string_pattern_mismatch" | "string_too_short":
            given = masked_url(entry["input"])
            return line, f"`{key}` is `{given}`: expected {_shape(entry)}"
        case "value_error":
            where = f"`{key}`: " if key else ""
            return line, f"{where}{entry['ctx']['error']}"
        case _:
            message = entry["msg"].removeprefix("Input should be ").removeprefix("a ")
            return line, f"`{key}` is `{entry['input']}`: expected {message}"


def _shape(entry: Any) -> str:
    """The expected form of a text, in words; the pattern itself where it has none."""
    if entry["type"] == "string_too_short":
        return "some text"
    pattern = entry["ctx"]["pattern"]
    return tables.SHAPES.get(pattern, f"text that matches `{pattern}`")


def _nearest_key(place: Key) -> str:
    known = {name for model in _models() for name in model.model_fields}
    close = difflib.get_close_matches(str(place[-1]), known, n=1)
    return f": did you mean `{close[0]}`?" if close else ""


def _models() -> tuple[Any, ...]:
    return (
        Declaration,
        Absence,
        tables.Command,
        tables.Deployment,
        tables.Install,
        tables.Limits,
        tables.Ready,
        tables.Repository,
        tables.Setting,
        tables.Stop,
    )


def _missing_files(values: dict[str, Any], file: Path) -> Iterator[tuple[Key, str]]:
    """Files that the declaration names, and that neither its folder nor a family has."""
    folders = [file.parent, *family_folders(values.get("families"))]
    install = values.get("install")
    requirements = install.get("requirements") if isinstance(install, dict) else None
    if isinstance(requirements, str) and not _is_in(folders, requirements):
        yield ("install", "requirements"), f"`{requirements}` does not exist beside {file.name}"
    files = values.get("files")
    for name in files if isinstance(files, dict) else ():
        if not _is_in(folders, name):
            yield ("files", name), f"`{name}` does not exist beside {file.name}"


def _is_in(folders: Sequence[Path], name: str) -> bool:
    return any((folder / name).is_file() for folder in folders)

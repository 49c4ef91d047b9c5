"""hosts.toml: the machines that work together, and the scheduler that they join.

    scheduler = "tls://10.0.1.1:8786"

    [[machines]]
    name = "a"
    roles = ["generator"]
    address = "10.0.0.2"
    control = "10.0.1.2"
    cores = [1, 2, 3]
    ssh = "bench@a.example"

Every fault is reported at once, with its line. `docs/reference/hosts.md` describes the keys.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.faults import parse_fault
from httpdyno.output.printable import printable
from httpdyno.toml_lines import Key, key_lines, line_of

__all__ = [
    "EXAMPLE",
    "ROLES",
    "Hosts",
    "Machine",
    "Role",
    "checked_name",
    "host_of",
    "is_loopback",
    "parse",
    "read",
    "scheduler_address",
]

Role = Literal["generator", "server"]
ROLES: tuple[Role, ...] = ("generator", "server")
_MOST_CHARACTERS = 1 << 20
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252})")
_SSH = re.compile(r"(?:[\w.-]+@)?(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?")
_SCHEDULER = re.compile(r"(tls|tcp)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})")
_OWN_NAMES = ("ca", "coordinator", "scheduler")

_KEYS = "https://httpdyno.github.io/httpdyno/reference/hosts/ describes the keys"
EXAMPLE = """\
# The machines that httpdyno uses together. Every key:
# https://httpdyno.github.io/httpdyno/reference/hosts/
# The scheduler listens here, on the network for control:
scheduler = "tls://10.0.1.1:8786"

[[machines]]
name = "a"
roles = ["generator"]
address = "10.0.0.2"      # load is sent from here
control = "10.0.1.2"      # orders and results; default: the address for load
cores = [1, 2, 3]         # those of the load generator; default: all but the first
ssh = "bench@10.0.1.2"    # for `hosts up`; default: the control address

[[machines]]
name = "b"
roles = ["generator"]
address = "10.0.0.3"
control = "10.0.1.3"
"""


def checked_name(text: str) -> str:
    """The name of a machine. Raises ValueError with what was expected."""
    if _NAME.fullmatch(text) is None or text in _OWN_NAMES:
        raise ValueError(
            "expected a name of lower-case letters, digits, dots and dashes, such as `a`"
        )
    return text


def _checked_host(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        if _HOST.fullmatch(text) is None:
            raise ValueError from None
        return text


def _checked_ssh(text: str) -> str:
    if _SSH.fullmatch(text) is None:
        raise ValueError
    return text


def scheduler_address(text: str) -> str:
    """An address such as `tls://10.0.1.1:8786`. Raises ValueError with what was expected."""
    found = _SCHEDULER.fullmatch(text)
    if found is None or not 1 <= int(found[3]) <= 65535:
        raise ValueError("expected an address such as `tls://10.0.1.1:8786`")
    if found[1] == "tcp" and not is_loopback(found[2]):
        raise ValueError(
            "expected `tls://`: without encryption, a scheduler is used only on this machine"
            " (127.0.0.0/8 or [::1])"
        )
    return text


def host_of(scheduler: str) -> str:
    """The host in the address of a scheduler, without brackets."""
    return scheduler.rpartition("://")[2].rpartition(":")[0].strip("[]")


def is_loopback(host: str) -> bool:
    """True for an address that only this machine reaches; a name may be anything."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


_Host = Annotated[str, AfterValidator(_checked_host)]
_HOST_TEXT = 'an IP address or a host name, such as "10.0.0.2"'


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Machine(_Part):
    """A machine of the cluster."""

    name: Annotated[str, AfterValidator(checked_name)] = Field(
        description='a name of lower-case letters, digits, dots and dashes, such as "a"'
        ' (not "ca", "coordinator" or "scheduler")'
    )
    roles: Annotated[tuple[Role, ...], Field(min_length=1)] = Field(
        default=("generator",), description='"generator", "server" or both, in a list'
    )
    address: _Host = Field(description=_HOST_TEXT)
    """The address for load."""
    control: _Host | None = Field(default=None, description=_HOST_TEXT)
    """The address for orders and results; None: that for load."""
    cores: (
        Annotated[
            tuple[Annotated[int, Field(strict=True, ge=0, le=8191)], ...], Field(min_length=1)
        ]
        | None
    ) = Field(default=None, description="processor numbers in a list, such as [1, 2, 3]")
    """The engine's, or the server's; None: all but the first."""
    ssh: Annotated[str, AfterValidator(_checked_ssh)] | None = Field(
        default=None, description='a place for SSH, such as "bench@a.example:22"'
    )
    command: str = Field(
        default="httpdyno",
        min_length=1,
        description='the command that starts httpdyno there, such as "/opt/venv/bin/httpdyno"',
    )

    @property
    def control_address(self) -> str:
        """The address for orders and results."""
        return self.control or self.address


class Hosts(_Part):
    """A whole hosts.toml."""

    scheduler: Annotated[str, AfterValidator(scheduler_address)] = Field(
        description='an address such as "tls://10.0.1.1:8786", with `tls` unless it is on loopback'
    )
    certificates: str = Field(
        default="certificates", min_length=1, description="a folder, relative to this file"
    )
    machines: Annotated[tuple[Machine, ...], Field(min_length=1)] = Field(
        description="at least one [[machines]]"
    )
    file: Path = Field(default=Path("hosts.toml"), exclude=True)

    @property
    def folder(self) -> Path:
        """The folder of the certificates."""
        return (self.file.parent / self.certificates).absolute()


def read(file: Path) -> Hosts:
    """The machines in a file. Raises UsageError with every fault, one per line, and its line;
    EnvironmentFault if it may not be read."""
    try:
        with file.open(encoding="utf-8-sig") as opened:
            text = opened.read(_MOST_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise UsageError(f"`{file}` is not UTF-8 text: expected machines in TOML") from None
    except PermissionError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from None
    except OSError as error:
        raise UsageError(
            f"`{file}` cannot be read: {error.strerror}",
            hint="`httpdyno hosts init hosts.toml` writes one to begin with",
        ) from None
    if len(text) > _MOST_CHARACTERS:
        raise UsageError(f"`{file}` is too large: expected at most {_MOST_CHARACTERS:,} characters")
    return parse(text, file)


def parse(text: str, file: Path) -> Hosts:
    """The machines in `text`, which was read from `file`. Raises as `read`."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: not TOML: {printable(parse_fault(error))}") from None
    lines = key_lines(text)
    faults: list[tuple[Key, str]] = []
    hosts: Hosts | None = None
    if "file" in values:
        faults.append((("file",), f"`file` is not a key of it: expected {_keys(Hosts)}"))
    try:
        hosts = Hosts.model_validate(values | {"file": file})
    except ValidationError as invalid:
        faults += [_explain(one) for one in _errors(invalid)[:100]]
    faults += _between(values)
    if faults or hosts is None:
        by_line = sorted({(line_of(lines, path), sentence) for path, sentence in faults})
        rows = [f"{file}:{line}: {printable(sentence)}" for line, sentence in by_line]
        raise UsageError("\n".join(rows), hint=_KEYS)
    return hosts


def _between(values: dict[str, Any]) -> Iterator[tuple[Key, str]]:
    """Faults between keys."""
    given = values.get("machines")
    machines = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    names = Counter(str(one.get("name")) for one in machines if "name" in one)
    for number, machine in enumerate(machines):
        if names[str(machine.get("name"))] > 1:
            yield (
                ("machines", number, "name"),
                f"`name` is `{machine['name']}` twice: expected a name for each machine",
            )
    yield from _open_to_others(str(values.get("scheduler")), machines)
    roles = [one.get("roles", ["generator"]) for one in machines]
    if machines and not any("generator" in one for one in roles if isinstance(one, list)):
        yield ("machines",), "no machine is a `generator`: expected at least one"
    servers = [n for n, one in enumerate(roles) if isinstance(one, list) and "server" in one]
    for number in servers[1:]:
        yield ("machines", number, "roles"), "a second `server`: expected one at most"


def _open_to_others(scheduler: str, machines: list[dict[str, Any]]) -> Iterator[tuple[Key, str]]:
    """Addresses on which a worker would listen without encryption, and not on loopback."""
    found = _SCHEDULER.fullmatch(scheduler)
    if found is None or found[1] != "tcp" or not is_loopback(found[2]):  # a fault by itself
        return
    for number, machine in enumerate(machines):
        key = "control" if "control" in machine else "address"
        if key in machine and not is_loopback(str(machine[key])):
            yield (
                ("machines", number, key),
                f"`{key}` is `{machine[key]}`, where orders come unencrypted with a `tcp://`"
                " scheduler: expected a `tls://` scheduler, or a loopback address such as"
                f' `{"" if key == "control" else "control = "}"127.0.0.1"`',
            )


def _errors(invalid: ValidationError) -> list[Any]:
    """The errors, without those that only say that a list has too few right items."""
    found: list[Any] = list(invalid.errors(include_url=False))
    inside = {one["loc"][:length] for one in found for length in range(1, len(one["loc"]))}
    return [one for one in found if one["type"] != "too_short" or one["loc"] not in inside]


def _explain(error: Any) -> tuple[Key, str]:
    """The path and the text of an error of pydantic."""
    path: Key = tuple(error["loc"])
    model: type[BaseModel] = Machine if path[0] == "machines" and len(path) > 2 else Hosts
    where = "[[machines]]" if model is Machine else "it"
    key = next(str(part) for part in reversed(path) if isinstance(part, str))
    if error["type"] == "extra_forbidden":
        nearest = difflib.get_close_matches(key, model.model_fields, n=1)
        expected = f"did you mean `{nearest[0]}`?" if nearest else f"expected {_keys(model)}"
        return path, f"`{key}` is not a key of {where}: {expected}"
    names = [part for part in path if part in model.model_fields]
    field = model.model_fields[str(names[-1])] if names else None
    expected = (field.description if field else None) or "another value"
    if error["type"] == "missing":
        return path, f"`{key}` is missing in {where}: expected {expected}"
    shown = repr(error["input"])
    given = shown if len(shown) <= 60 else shown[:57] + "..."
    return path, f"`{key}` is `{given}`: expected {expected}"


def _keys(model: type[BaseModel]) -> str:
    return ", ".join(name for name, field in model.model_fields.items() if not field.exclude)

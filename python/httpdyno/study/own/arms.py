"""Arms that need no `server.toml`: a command that starts the server, or the URL of one that runs.

The faults between their keys are found here, from the raw values of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from httpdyno.output.slugs import server_name
from httpdyno.toml_lines import Key

COMMAND = "command"
RUNNING = "running"
"""The deployment names of arms without a `server.toml`; such an arm's name is its own."""

KINDS = ("server", "url", "unix", "start")
OF_SERVER = ("deployments",)
OF_OWN = ("version", "http")
OF_START = ("build", "cwd", "env", "ready", "cores", "tls")
OF_URL = ("ca", "insecure", "sni", "cert", "key")
OF_TLS = ("tls_version", "tls_resume")
_NOT_THE_SERVER = {"workload", "warm_up", "name", "group"}
"""Keys in which two arms of one server may differ."""


def own_kind(arm: Mapping[str, Any]) -> str | None:
    """`command` or `running`; None for an arm whose server has a `server.toml`."""
    if arm.get("start") is not None:
        return COMMAND
    running = arm.get("url") is not None or arm.get("unix") is not None
    return RUNNING if running else None


def own_arm(name: str, **keys: Any) -> dict[str, Any]:
    """The keys of an arm without a `server.toml`; those that are not given are left out."""
    return {"name": name, **{key: value for key, value in keys.items() if value is not None}}


def complete_arm(given: Any) -> Any:
    """An arm with the `server` and the `deployments` that its own kind stands for."""
    kind = own_kind(given) if isinstance(given, dict) else None
    if kind is None or not isinstance(given.get("name"), str):
        return given
    return {**given, "server": server_name(given["name"]), "deployments": (kind,)}


def arm_faults(arms: list[Mapping[str, Any]]) -> Iterator[tuple[Key, str]]:
    """The faults between the keys of each arm, and arms that take each other's name."""
    for index, arm in enumerate(arms):
        place: Key = ("arms", index)
        kinds = [key for key in KINDS if key in arm]
        if not kinds:
            yield place, "`server` is missing in [[arms]]: expected a name, `url` or `start`"
        elif len(kinds) > 1 and kinds != ["url", "unix"]:
            named = " and ".join(f"`{key}`" for key in kinds)
            yield (*place, kinds[1]), f"{named} exclude each other: expected one of them"
        else:
            yield from _misplaced_keys(place, arm, kinds[0])
    yield from _same_name(arms)


def _misplaced_keys(place: Key, arm: Mapping[str, Any], kind: str) -> Iterator[tuple[Key, str]]:
    """Keys that are missing for this kind of arm, or belong to another."""
    needed = "deployments" if kind == "server" else "name"
    if needed not in arm:
        expected = "a list of names" if kind == "server" else "a name for the arm"
        yield place, f"`{needed}` is missing in [[arms]]: expected {expected}"
    https = str(arm.get("url", "")).lower().startswith(("https:", "grpcs:"))
    allowed: dict[tuple[str, ...], tuple[bool, str]] = {
        OF_SERVER: (kind == "server", "an arm with `server`"),
        OF_OWN: (kind != "server", "an arm with `start`, `url` or `unix`"),
        OF_START: (kind == "start", "an arm with `start`"),
        OF_URL: (https, "an arm with an `https` URL"),
        OF_TLS: (https or arm.get("tls") is True, "an arm with an `https` URL, or with `tls`"),
    }
    for keys, (fits, where) in allowed.items():
        for key in keys:
            if key in arm and not fits:
                yield (*place, key), f"`{key}` applies only to {where}"
    if arm.get("insecure") is True and "ca" in arm:
        yield (*place, "ca"), "`insecure` and `ca` exclude each other: expected one of them"
    if ("cert" in arm) != ("key" in arm):
        yield place, "`cert` and `key` need each other: expected both"


def _same_name(arms: list[Mapping[str, Any]]) -> Iterator[tuple[Key, str]]:
    """Own arms whose server would replace that of another arm."""
    seen: dict[str, Any] = {}
    for index, arm in enumerate(arms):
        own = own_kind(arm)
        given = arm.get("name") if own else arm.get("server")
        if not isinstance(given, str):
            continue
        name = server_name(given) if own else given
        keys = {k: v for k, v in arm.items() if k not in _NOT_THE_SERVER} if own else None
        if seen.setdefault(name, keys) != keys:
            text = f"another arm has a server called `{name}` too: expected another `name`"
            yield ("arms", index, "name" if own else "server"), text

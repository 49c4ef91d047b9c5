"""Facts recorded beside a number: versions and machine. A difference may be why it changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from httpdyno.result import Fact

_IDENTITY = ("processor", "cores", "virtual machine")
"""The facts that tell machines apart; a new kernel or more memory does not make a new machine."""
_PASSING = frozenset({"load average at the start", "time stolen by the host"})
"""Facts that differ from run to run on the same machine."""
SERVER = "server"
TOOL = "httpdyno"
START = ("command", "build", "folder", "environment", "cores of the server", "address")
"""Labels of the declared start of an arm that has no `server.toml`."""


class Difference(NamedTuple):
    """A circumstance before and after a change. Empty: it was not recorded."""

    what: str
    before: str
    after: str

    @property
    def kind(self) -> str:
        """`server`, `start`, `httpdyno` or `machine`."""
        if self.what in START:
            return "start"
        return self.what if self.what in (SERVER, TOOL) else "machine"


def circumstances(
    version: str,
    httpdyno_version: str,
    facts: Iterable[Fact],
    start: Mapping[str, str] = MappingProxyType({}),
) -> Mapping[str, str]:
    """Everything recorded that could change a number, by label: the server's version first.

    `start`: the values of `START` that are known.
    """
    machine = {fact.label: fact.value for fact in facts if fact.label not in _PASSING}
    return {SERVER: version, **start, TOOL: httpdyno_version} | {
        label: value for label, value in machine.items() if label not in (SERVER, *START, TOOL)
    }


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Difference, ...]:
    """The circumstances that differ, in their order."""
    labels = dict.fromkeys([*before, *after])
    found = [Difference(label, before.get(label, ""), after.get(label, "")) for label in labels]
    return tuple(one for one in found if one.before != one.after)


def machine_key(facts: Sequence[Fact]) -> str:
    """Equal for results of one machine, or of machines of one kind: eight hexadecimal digits."""
    identity = "\n".join(f"{label}={_value(facts, label)}" for label in _IDENTITY)
    return hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest()[:8]


def machine_words(facts: Sequence[Fact]) -> str:
    """The machine in a few words: `AMD EPYC 7B13, 2 of 4 available, 7.8 GiB`."""
    values = [_value(facts, label) for label in ("processor", "cores", "memory")]
    return ", ".join(value for value in values if value) or "unknown machine"


def _value(facts: Sequence[Fact], label: str) -> str:
    return next((fact.value for fact in facts if fact.label == label), "")

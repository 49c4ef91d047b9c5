"""The machines of a run on several, and the paths between them."""

from __future__ import annotations

from typing import Literal

from httpdyno.result.fact import Fact
from httpdyno.units import duration, significant
from httpdyno.value import Value

Role = Literal["coordinator", "generator", "server"]


class MachineRow(Value):
    """One machine, its roles in a run and its facts."""

    name: str
    roles: list[Role]
    address: str
    """The address of its load; empty for a machine without load."""
    facts: list[Fact]

    @property
    def labelled(self) -> list[Fact]:
        """Its role and its facts, each labelled with its name."""
        at = f", load at {self.address}" if self.address else ""
        role = Fact(label="role", value=" and ".join(self.roles) + at)
        return [
            Fact(label=f"{self.name}: {fact.label}", value=fact.value, doubt=fact.doubt)
            for fact in (role, *self.facts)
        ]

    @property
    def text(self) -> str:
        """Its roles, processor and cores; a role that is its name stands there once."""
        labels = ("processor", "cores")
        found = [fact.value for fact in self.facts if fact.label in labels]
        roles = [role for role in self.roles if role != self.name]
        return ", ".join([*([" and ".join(roles)] if roles else []), *found])


class PathRow(Value):
    """The path from a load generator to the server, measured before the trials."""

    generator: str
    server: str
    round_trip_p50_s: float
    round_trip_min_s: float
    mtu: int | None = None
    """Largest packet in bytes, IP head included; None: not known."""
    generator_link_bits_per_s: float | None = None
    """Speed of the generator's network card; None: it reports none, as virtual ones do."""
    server_link_bits_per_s: float | None = None
    carried_bits_per_s: float | None = None
    """Received by all load generators together, in large replies before the trials; measured where
    the server's network card reports no speed."""
    offloads: list[str] = []
    """Work that the generator's network card does for the kernel, such as `tso`."""

    @property
    def link_bits_per_s(self) -> float | None:
        """The slower of the two network cards, of those that report a speed."""
        known = (self.generator_link_bits_per_s, self.server_link_bits_per_s)
        return min((one for one in known if one is not None), default=None)

    @property
    def text(self) -> str:
        """The path in words, without its ends."""
        least = duration(self.round_trip_min_s)
        found = [f"round trip {duration(self.round_trip_p50_s)} (p50), {least} (least)"]
        if self.mtu is not None:
            found.append(f"MTU {self.mtu:,}")
        link = self.link_bits_per_s
        found.append("link speed not reported" if link is None else f"link {bits(link)}")
        if self.carried_bits_per_s is not None:
            found.append(f"all paths together carry {bits(self.carried_bits_per_s)}")
        if self.offloads:
            found.append(f"offloads {' '.join(self.offloads)}")
        return ", ".join(found)


def bits(per_s: float) -> str:
    """A link speed: `1 Gbit/s`."""
    unit, scale = ("Gbit/s", 1e9) if per_s >= 1e9 else ("Mbit/s", 1e6)
    number = significant(per_s / scale)
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"

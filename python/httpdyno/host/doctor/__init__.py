"""Findings about this machine: their effect on results, and the commands that allow more."""

from __future__ import annotations

from httpdyno.host.doctor.finding import Finding, State
from httpdyno.host.doctor.other_programs import neighbours
from httpdyno.host.doctor.permissions import permissions
from httpdyno.host.doctor.place import place_of
from httpdyno.host.doctor.sending import drivers, loopback
from httpdyno.host.doctor.settings import container, other_doubts, processors, settings
from httpdyno.host.facts import machine_facts
from httpdyno.host.machine import Machine

__all__ = ["Finding", "State", "examine"]


def examine(machine: Machine, uring: str | None, epoll: str | None) -> list[Finding]:
    """Every finding, in the order of the screen; `uring`, `epoll`: why each cannot be used."""
    place = place_of(machine)
    facts = {fact.label: fact for fact in machine_facts(machine)}
    found = [
        *drivers(machine, place, uring, epoll),
        loopback(place),
        processors(place),
        *neighbours(machine),
        *settings(facts, place),
        *permissions(machine, facts, place),
        container(machine, place),
    ]
    return [*found, *other_doubts(facts, {one.name for one in found}, place)]

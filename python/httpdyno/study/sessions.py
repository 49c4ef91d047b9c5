"""Workloads of a study that are sessions, and the loads that send them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from httpdyno.study.loads import AnyLoad
from httpdyno.study.model import Study
from httpdyno.toml_lines import Key

_ITS_OWN = {"burst": 1, "calls_per_connection": None, "requests": None}
"""Keys of loads that say which calls a session has, with their defaults."""


def session_faults(study: Study) -> Iterator[tuple[Key, str]]:
    """Loads that cannot send the sessions of their arms."""
    for name, load in study.loads.items():
        lengths = _lengths(study, load)
        sessions = [one for one in lengths if study.calls_of_session(one) is not None]
        if not sessions:
            continue
        session = f"the workload `{sessions[0]}` is a session"
        if not load.takes_sessions:
            text = (
                f'{session}, whose calls follow each other: expected `kind = "sessions"`, with'
                " sessions per second as `rate`"
            )
            yield ("loads", name, "kind"), text
        for key, default in _ITS_OWN.items():
            if getattr(load, key, default) != default:
                text = f"{session}, which has its calls: expected [loads.{name}] without `{key}`"
                yield ("loads", name, key), text
        quick = study.quick.loads.get(name)
        if quick is not None and quick.requests is not None:
            text = f"{session}, which has its calls: expected [quick.loads.{name}] without"
            yield ("quick", "loads", name, "requests"), f"{text} `requests`"
        if load.in_sessions:
            yield from _calls_faults(name, load, lengths)


def _calls_faults(
    name: str, load: AnyLoad, lengths: Mapping[str, int]
) -> Iterator[tuple[Key, str]]:
    """Sessions of several lengths under one load, whose results have one rate of calls."""
    different = set(lengths.values())
    listed = " and ".join(f"{calls:,} of `{one}`" for one, calls in lengths.items())
    if len(different) > 1:
        text = (
            f"[loads.{name}] has sessions of different numbers of calls ({listed}): expected a"
            " load for each, with `arms`"
        )
        yield ("loads", name), text
    elif "calls" in load.model_fields_set and load.calls_per_arrival not in different:
        given = f"`calls` is {load.calls_per_arrival:,}"
        text = f"{given}, but a session has {listed}: expected it without `calls`"
        yield ("loads", name, "calls"), text


def with_session_calls(study: Study) -> Study:
    """The study whose loads of sessions have the number of calls of their workload."""
    changed: dict[str, Any] = {}
    for name, load in study.loads.items():
        lengths = _lengths(study, load)
        calls = next(iter(lengths.values()), None)
        if load.in_sessions and calls not in (None, load.calls_per_arrival):
            changed[name] = load.model_copy(update={"calls": calls})
    return study.model_copy(update={"loads": {**study.loads, **changed}}) if changed else study


def _lengths(study: Study, load: AnyLoad) -> dict[str, int]:
    """The calls of a session of each workload that arms have under a load."""
    return {
        workload: study.calls_of_session(workload) or load.calls_per_arrival
        for workload in study.workloads_under(load)
    }

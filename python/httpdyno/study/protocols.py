"""Workloads of a study that need a protocol, and the loads and arms that speak another."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno.study.model import Study
from httpdyno.toml_lines import Key


def protocol_faults(study: Study) -> Iterator[tuple[Key, str]]:
    """Loads and arms of HTTP/1 with calls of gRPC."""
    for name, load in study.loads.items():
        for workload in study.workloads_under(load):
            if load.http not in (None, "2") and study.has_grpc(workload):
                yield ("loads", name, "http"), _fault(workload, load.http)
    for index, arm in enumerate(study.arms):
        workload = study.workload_of(arm)
        if arm.http not in (None, "2") and study.has_grpc(workload):
            yield ("arms", index, "http"), _fault(workload, arm.http)


def _fault(workload: str, http: str | None) -> str:
    return (
        f"the workload `{workload}` has calls of gRPC, which go over HTTP/2: expected `http` as"
        f' "2", or not at all, not "{http}"'
    )

"""The limits of a study's servers, from their `server.toml` files."""

from __future__ import annotations

from httpdyno.plan import Plan
from httpdyno.servers import Catalogue, Server
from httpdyno.study import Study
from httpdyno.study.abilities import START_AND_STOP_S, Abilities

JVM_S = 4.0
SLOW_S = 9.0
SLOW_FROM_S = 60.0
"""A server with this much time to become ready probably starts slowly."""


def plan_of(study: Study, catalogue: Catalogue) -> Plan:
    """The plan of a study within the limits of its servers, without those of unavailable servers
    and deployments: they become failure rows."""
    found: dict[str, Abilities] = {}
    for arm in Plan(study).arms:
        server = catalogue.get(arm.server)
        if arm.deployment in server.deployments:
            found[arm.name] = Abilities(
                cannot=_cannot(server, arm.deployment),
                most_connections=server.deployment(arm.deployment).most_connections,
                around_s=_around_s(server),
                http=server.deployment(arm.deployment).http[0],
            )
    return Plan(study, found)


def _cannot(server: Server, deployment: str) -> dict[str, str]:
    """The features that a deployment lacks, with the reasons. The server of a user has all."""
    found = {str(what): why for what, why in server.cannot_of(deployment).items()}
    spoken = server.deployment(deployment).http
    if not server.in_place and spoken == ("1.1",):
        found["http-2"] = f"the deployment `{deployment}` speaks HTTP/1 only"
    if not server.in_place and spoken == ("2",):
        found["http-1"] = f"the deployment `{deployment}` speaks HTTP/2 only"
    return found


def _around_s(server: Server) -> float:
    """A guess at the time of its start and stop, for the estimate only."""
    if server.running_at is not None:
        return 0.0
    if server.in_place:
        return START_AND_STOP_S
    if server.ready.timeout_s >= SLOW_FROM_S:
        return SLOW_S
    return JVM_S if server.install.kind == "maven" else START_AND_STOP_S

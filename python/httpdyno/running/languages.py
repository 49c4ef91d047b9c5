"""The programming language of each arm, from the catalogue of servers."""

from __future__ import annotations

from functools import cache

from httpdyno.result import ArmInfo, StudyResult
from httpdyno.servers import load_catalogue


def with_languages(result: StudyResult) -> StudyResult:
    """The result with the languages of its arms that the catalogue knows."""
    arms = [_with_language(arm) for arm in result.arms]
    return result if arms == result.arms else result.model_copy(update={"arms": arms})


def _with_language(arm: ArmInfo) -> ArmInfo:
    known = "" if arm.language else _languages().get(arm.server, "")
    return arm.model_copy(update={"language": known}) if known else arm


@cache
def _languages() -> dict[str, str]:
    return {server.name: server.language for server in load_catalogue()}

"""The studies of a site and their arms, each with its own address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from httpdyno.dates import date
from httpdyno.output.slugs import all_different, slug
from httpdyno.report.contents.answer import answer
from httpdyno.report.contents.arm_pages import ArmPage, arm_pages
from httpdyno.report.contents.rows.arms import labels
from httpdyno.report.contents.rows.groups import group_by
from httpdyno.report.text import words
from httpdyno.report.text.arms import short_names
from httpdyno.result import StudyResult
from httpdyno.units import list_items

_MACHINE = ("processor", "cores")


@dataclass(frozen=True)
class SiteStudy:
    """One study of the site, as a row of its index."""

    result: StudyResult
    slug: str
    lead: str
    date: str
    post: str
    machine: str
    languages: Sequence[str]
    workloads: Sequence[str]
    arms: int
    verdicts: str
    """`20 valid, 4 suspect`."""
    unfinished: str
    """`3 of 10 blocks were measured`; empty: it is complete."""

    @property
    def folder(self) -> str:
        """Its folder in the site."""
        return f"studies/{self.slug}"


@dataclass(frozen=True)
class SiteArm:
    """One arm over all studies: a server in one deployment, or a program of the user's own.

    Programs of one name have the newest study of each behind it.
    """

    name: str
    slug: str
    server: str
    languages: Sequence[str]
    workloads: Sequence[str]
    found: Sequence[tuple[SiteStudy, ArmPage]]

    @property
    def file(self) -> str:
        """Its page in the site."""
        return f"arms/{self.slug}.html"

    @property
    def studies(self) -> int:
        """The count of its studies; one with several workloads has it several times."""
        return len({study.slug for study, _ in self.found})

    @property
    def titles(self) -> list[str]:
        """A heading for each of `found`, all different."""
        titles = Counter({study.slug: study.result.title for study, _ in self.found}.values())
        often = Counter(study.slug for study, _ in self.found)
        return [
            study.result.title
            + (f" · {study.slug}" if titles[study.result.title] > 1 else "")
            + (f": workload {page.info.workload}" if often[study.slug] > 1 and page.info else "")
            for study, page in self.found
        ]


def site_studies(results: Sequence[StudyResult]) -> list[SiteStudy]:
    """The studies, newest first. Results are safe to show."""
    newest = sorted(results, key=lambda one: -one.started_at)
    often = Counter(result.name for result in newest)
    names = [
        slug(one.name, date(one.started_at)) if often[one.name] > 1 else slug(one.name)
        for one in newest
    ]
    return [_study(result, name) for result, name in zip(newest, all_different(names), strict=True)]


def site_arms(studies: Sequence[SiteStudy]) -> list[SiteArm]:
    """The arms by name."""
    found = [pair for study in studies for pair in _arms_of(study)]
    of_arm = group_by(found, _program)
    often = Counter(name for name, _ in of_arm)
    named = {
        f"{name} ({of_arm[name, key][0][1].slug})" if often[name] > 1 else name: of_arm[name, key]
        for name, key in of_arm
    }
    names = sorted(named)
    slugs = all_different([slug(name) for name in names])
    return [_arm(name, one, named[name]) for name, one in zip(names, slugs, strict=True)]


def _program(one: tuple[str, SiteStudy, ArmPage]) -> tuple[str, str]:
    """The name of an arm, and the key that tells programs of one name apart."""
    name, _, page = one
    return name, page.info.own_key if page.info else ""


def _arms_of(study: SiteStudy) -> list[tuple[str, SiteStudy, ArmPage]]:
    short = short_names(study.result)
    pages = arm_pages(study.result, labels(study.result), alone=True)
    return [(short[page.label.name], study, page) for page in pages]


def _arm(name: str, file: str, found: Sequence[tuple[str, SiteStudy, ArmPage]]) -> SiteArm:
    infos = [page.info for _, _, page in found if page.info is not None]
    return SiteArm(
        name=name,
        slug=file,
        server=next((info.server for info in infos), ""),
        languages=_different(one for info in infos for one in list_items(info.language)),
        workloads=_different(info.workload for info in infos),
        found=[(study, page) for _, study, page in found],
    )


def _study(result: StudyResult, name: str) -> SiteStudy:
    counts = Counter(cell.status for cell in result.cells)
    return SiteStudy(
        result=result,
        slug=name,
        lead=answer(result, labels(result)).lead,
        date=date(result.started_at),
        post=result.source or "",
        machine="; ".join(
            fact.value for label in _MACHINE for fact in result.facts if fact.label.lower() == label
        ),
        languages=_different(one for arm in result.arms for one in list_items(arm.language)),
        workloads=_different(arm.workload for arm in result.arms),
        arms=len(result.arms),
        verdicts=", ".join(
            f"{counts[status]:,} {status}"
            for status in ("valid", "suspect", "invalid")
            if counts[status]
        ),
        unfinished="" if result.complete else words.blocks_done(result),
    )


def _different(values: Iterable[str]) -> list[str]:
    return sorted({value for value in values if value})

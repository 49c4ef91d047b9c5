"""Start a study of the catalogue or of the studies folder, or a search for a capacity."""

from __future__ import annotations

import asyncio
import re
import tomllib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from httpdyno.limits.thresholds import parse_limit
from httpdyno.servers import find_installation, load_catalogue
from httpdyno.study.read import built_in_studies
from httpdyno.study.size import MOST_CHARACTERS
from httpdyno.web.pages.answers import Form, back_to, page_response, site_of
from httpdyno.web.site import Site

MOST_FILES = 200
MOST_BLOCKS = 1000
MOST_BYTES = 4 * MOST_CHARACTERS
"""A larger file is no study."""
_BUILT_IN, _FILE = "built in: ", "file: "


async def start(request: Request) -> Response:
    """The two forms."""
    return await _forms(request, dict(request.query_params), [])


async def study(request: Request, form: Form) -> Response:
    """Start a study."""
    site, faults = site_of(request), list[str]()
    known = await asyncio.to_thread(studies, site.launcher.studies)
    name = known.get(form.get("study", ""))
    if name is None:
        faults.append("Study: expected one of the list.")
    words = ["run", name or ""]
    if form.get("quick"):
        words.append("--quick")
    words += _count("--blocks", "Blocks", form.get("blocks", ""), faults)
    return await _start(request, site, form, words, faults)


async def capacity(request: Request, form: Form) -> Response:
    """Start a search."""
    site, faults = site_of(request), list[str]()
    arm = form.get("arm", "")
    if not any(arm in some for some in await asyncio.to_thread(arms)):
        faults.append("Server: expected one of the list.")
    limits = [text.strip() for text in form.get("limits", "").split(",") if text.strip()]
    for text in limits:
        try:
            parse_limit(text)
        except ValueError as wrong:
            faults.append(f"Limits: `{text}`: {wrong}.")
    if not limits:
        faults.append("Limits: expected one or more, such as `p99<20ms, errors<0.1%`.")
    words = ["capacity", arm, *(f"--limit={text}" for text in limits)]
    words += _count("--restarts", "Starts", form.get("restarts", ""), faults)
    return await _start(request, site, form, words, faults)


def studies(folder: Path) -> dict[str, str]:
    """The studies that can be started: their words on the page, and on the command line."""
    found = {f"{_BUILT_IN}{name}": name for name in built_in_studies()}
    files = sorted(file for file in folder.glob("*.toml") if _is_study(file))[:MOST_FILES]
    return found | {f"{_FILE}{file.name}": f"./{file.name}" for file in files}


def arms() -> tuple[list[str], list[str]]:
    """Server and deployment of all that can be measured: those that are installed, and those that a
    search installs first."""
    ready, lacking = list[str](), list[str]()
    for server in load_catalogue():
        if server.unavailable is None:
            of = lacking if find_installation(server) is None else ready
            of += [f"{server.name}/{deployment}" for deployment in server.deployments]
    return ready, lacking


async def _start(
    request: Request, site: Site, form: Form, words: list[str], faults: list[str]
) -> Response:
    if faults:
        return await _forms(request, form, faults)
    key = await asyncio.wrap_future(site.launcher.start(words))
    return back_to(f"/live/{key}")


async def _forms(request: Request, given: Form, faults: list[str]) -> Response:
    folder = site_of(request).launcher.studies
    known, (ready, lacking) = await asyncio.to_thread(lambda: (studies(folder), arms()))
    status = 400 if faults else 200
    values = {"studies": list(known), "installed": ready, "others": lacking, "folder": str(folder)}
    return page_response(request, "start", status, given=given, faults=faults, **values)


def _count(flag: str, label: str, text: str, faults: list[str]) -> list[str]:
    """A flag with a whole number; nothing for an empty field."""
    if not text.strip():
        return []
    if re.fullmatch("[0-9]{1,4}", text.strip()) and 1 <= int(text) <= MOST_BLOCKS:
        return [flag, text.strip()]
    faults.append(f"{label}: expected a whole number from 1 to {MOST_BLOCKS:,}.")
    return []


def _is_study(file: Path) -> bool:
    """True for a file with the parts of a study, whatever its faults: the run explains those."""
    if not file.name.isprintable() or not file.is_file():
        return False
    try:
        if file.stat().st_size > MOST_BYTES:
            return False
        values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return "arms" in values or "loads" in values

"""A job of action.yml for a pull request in a real repository, with stand-ins for two actions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import loaded_program
from composite_action import Job
from git_repository import with_branches
from study_place import Place

__all__ = ["SHORTER", "job_for"]

SHORTER = "--blocks 5 --duration 200ms --warm-up 100ms --rate 1000"
"""Added to each comparison, which takes four minutes as it is."""
UV = """\
#!/usr/bin/env bash
# In place of uv: "installs" this source tree, and notes what was asked for.
echo "$*" >>{notes}
mkdir -p "$UV_TOOL_BIN_DIR"
printf '#!/bin/sh\\nexec {python} {program} "$@" {shorter}\\n' >"$UV_TOOL_BIN_DIR/httpdyno"
chmod +x "$UV_TOOL_BIN_DIR/httpdyno"
"""


def job_for(place: Place, head: str = "slow", **variables: str) -> Job:
    """The job for a pull request from `head` to `main`: its merge, checked out with
    `fetch-depth: 2`."""
    repository = with_branches(place.home / "origin")
    repository.git("checkout", "--quiet", "-b", "merge", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", head)
    clone = place.home / "clone"
    source = f"file://{repository.folder}"
    command = ["git", "clone", "--quiet", "--depth", "2", "--branch", "merge", source, str(clone)]
    subprocess.run(command, check=True)
    (place.home / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    programs = place.home / "programs"
    own = {name: place.environment[name] for name in place.environment if "HTTPDYNO" in name}
    github = {
        "GITHUB_BASE_REF": "main",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(place.home / "event.json"),
        "GITHUB_JOB": "compare",
        "GITHUB_REPOSITORY": "me/shop",
        "GITHUB_SHA": repository.git("rev-parse", "HEAD"),
        "GITHUB_WORKFLOW": "performance",
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": place.environment["PYTHONPATH"],
    }

    def set_up_uv(_: Mapping[str, str]) -> None:
        programs.mkdir(exist_ok=True)
        notes = place.home / "uv.txt"
        program = programs / "uv"
        given = {"python": sys.executable, "program": loaded_program.__file__}
        program.write_text(UV.format(notes=notes, shorter=SHORTER, **given))
        program.chmod(0o755)

    def upload(given: Mapping[str, str]) -> None:
        to = place.home / "artifacts" / given["name"]
        to.mkdir(parents=True)
        for pattern in given["path"].splitlines():
            for file in Path("/").glob(pattern.removeprefix("/")):
                shutil.copy(file, to)

    stand_ins = {"astral-sh/setup-uv": set_up_uv, "actions/upload-artifact": upload}
    return Job(clone, place.home, {**own, **github, **variables}, stand_ins)

"""A real run: exported for other programs, moved to another machine, followed over time."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET

import pytest
from small_server import GOOD, WRONG
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_a_run_is_exported_stored_and_the_same_on_another_machine(place: Place) -> None:
    place.study(good=(GOOD, ""), wrong=(WRONG, ""))
    files = {"junit": "out.xml", "markdown": "out.md", "openmetrics": "out.prom", "csv": "out.csv"}
    exports = [word for name, file in files.items() for word in ("--export", f"{name}={file}")]
    done = place.run(*exports)
    assert done.returncode == 0, done.stderr
    cases = ET.parse(place.home / "out.xml").getroot().findall("testsuite/testcase")
    skipped = [case.get("name", "") for case in cases if case.find("skipped") is not None]
    assert len(cases) == 4
    assert [name.split(" ")[0] for name in skipped] == ["wrong/1-process"] * 2
    assert place.result().answer.split(":")[0] in (place.home / "out.md").read_text()
    assert (place.home / "out.prom").read_text().endswith("# EOF\n")
    rows = list(csv.DictReader((place.home / "out.csv").read_text().splitlines()))
    assert {row["run"] for row in rows} == {"1"}

    moved = place.call("runs", "export", "1", "--to", "run.json")
    assert moved.returncode == 0, moved.stderr
    before = place.call("runs", "show", "1", "--json").stdout
    place.environment["HTTPDYNO_DATA"] = str(place.home / "elsewhere")
    assert place.call("runs", "import", "run.json").returncode == 0
    assert place.call("runs", "show", "1", "--json").stdout == before
    assert json.loads(before)["cells"]
    history = place.call("history")
    assert "the longest series has 1 run" in " ".join(history.stdout.split())


def test_an_export_that_cannot_be_written_is_refused_before_anything_starts(place: Place) -> None:
    place.study(good=(GOOD, ""))
    done = place.run("--export", "junit=no/such/folder.xml", "--export", "markdown=")
    assert done.returncode == 2
    assert "expected FORMAT=FILE" in done.stderr
    done = place.run("--export", "junit=no/such/folder.xml")
    assert done.returncode == 4
    assert "`no/such/folder.xml` cannot be written" in done.stderr
    assert place.store.studies() == []

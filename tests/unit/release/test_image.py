"""The container image says what it is, and does not run as root."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from release import without_io_uring
from release.image import LABELS, check_configuration
from release.place import ReleaseError

GOOD: dict[str, Any] = {
    "Entrypoint": ["httpdyno"],
    "User": "65532:65532",
    "Labels": {f"org.opencontainers.image.{name}": "1.2.3" for name in LABELS},
}
CASES = [
    ({"Entrypoint": ["sh"]}, "starts", "another program"),
    ({"User": ""}, "root", "no user"),
    ({"User": "0:0"}, "root", "the user root"),
    ({"Labels": None}, "lacks a label", "no label"),
    (
        {"Labels": {**GOOD["Labels"], "org.opencontainers.image.version": "9"}},
        "another version",
        "the label of another version",
    ),
]


def test_an_image_as_it_must_be_is_accepted() -> None:
    check_configuration(GOOD, "1.2.3")


@pytest.mark.parametrize(("change", "reason", "kind"), CASES, ids=[case[2] for case in CASES])
def test_an_image_that_is_wrong_is_refused(change: dict[str, Any], reason: str, kind: str) -> None:
    with pytest.raises(ReleaseError, match=reason):
        check_configuration({**GOOD, **change}, "1.2.3")


def test_the_filter_of_the_test_forbids_io_uring_and_the_doctor_says_so() -> None:
    filtered = Path(without_io_uring.__file__)
    words = [sys.executable, str(filtered), sys.executable, "-m", "httpdyno", "doctor"]
    shown = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert "io_uring             refused" in shown.stdout, shown.stderr

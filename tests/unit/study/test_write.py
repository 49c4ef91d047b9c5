"""A study that was made from its keys is written as TOML, and read again it is the same study."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from httpdyno.errors import UsageError
from httpdyno.study import KnownNames
from httpdyno.study.read import checked_study, parse_study
from httpdyno.study.write import toml_of

KNOWN = KnownNames({"nginx": ("1-worker",)}, ("hello",))
KEYS: dict[str, Any] = {
    "title": 'A "quoted" title, 2 µs, a tab \t and a DEL \x7f',
    "question": None,
    "workload": "GET /",
    "arms": [{"server": "nginx", "deployments": ["1-worker"], "warm_up": 1.5}],
    "workloads": {"GET /": {"requests": [{"path": "/", "headers": {"Accept": "text/html"}}]}},
    "loads": {
        "full-speed": {"kind": "closed", "connections": [1, 10], "requests": 100},
        "paced": {"kind": "requests", "rate": 250.0, "requests": None, "duration": 5.0},
    },
}


def test_a_written_study_is_read_as_the_same_study() -> None:
    study = checked_study(KEYS, "mine", KNOWN)
    again = parse_study(study.text, Path("mine.toml"), KNOWN)
    assert again.model_dump_json() == study.model_dump_json()


def test_a_written_study_has_the_keys_that_were_set_and_no_others() -> None:
    written = tomllib.loads(checked_study(KEYS, "mine", KNOWN).text)
    assert written.keys() == KEYS.keys() - {"question"}
    assert written["loads"]["paced"] == {"kind": "requests", "rate": 250.0, "duration": 5.0}


def test_a_written_study_has_no_credentials_but_the_study_keeps_them() -> None:
    keys = {
        "title": "Mine",
        "arms": [{"name": "mine", "start": "./serve {port}", "env": {"API_KEY": "s3cret-key"}}],
        "workloads": {
            "page": {"requests": [{"path": "/", "headers": {"Authorization": "Basic s3cret"}}]}
        },
        "loads": {"full-speed": {"kind": "closed", "requests": 100}},
    }
    study = checked_study(keys, "mine", KNOWN)
    assert "s3cret" not in study.text
    assert study.arms[0].env == {"API_KEY": "s3cret-key"}
    assert study.workloads["page"].requests[0].headers == {"Authorization": "Basic s3cret"}
    assert "s3cret" not in toml_of(keys)


def test_the_faults_of_keys_name_no_line_of_a_file() -> None:
    load = {"kind": "closed", "connections": 1.5, "requests": 100}
    keys = {**KEYS, "loads": {"full-speed": load}, "blocks": 0}
    with pytest.raises(UsageError) as refused:
        checked_study(keys, "mine", KNOWN)
    first, second = refused.value.message.splitlines()
    assert first.startswith("`blocks` is `0`: expected a whole number")
    assert second.startswith("`connections[0]` is `1.5`: expected ")

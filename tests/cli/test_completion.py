"""A shell completes verbs, flags and names, and asks the program for them in no time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.cli.completion.candidates import candidates_for
from httpdyno.cli.completion.verb import BASH, FISH, ZSH
from httpdyno.cli.frame.verbs import VERBS
from httpdyno.servers import load_catalogue
from httpdyno.store import open_store
from httpdyno.study import built_in_studies
from stored_samples import RUN

from .conftest import PYTHON_SOURCES, Program
from .test_frame import HEAVY


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["ca"], ["capacity"]),
        (["runs", "ex"], ["export"]),
        (["run", "de"], ["demo"]),
        (["run", "demo", "--bloc"], ["--blocks"]),
        (["run", "demo", "--only", "tor"], ["tornado", "tornado/1-process"]),
        (["run", "tornado-vs", "--only", "starlette/1"], ["starlette/1-worker"]),
        (["run", "--seed", "3", "de"], ["demo"]),
        (["run", "demo", "x"], []),
        (["capacity", "starl"], ["starlet", "starlette"]),
        (["capacity", "nginx/1-worker", "lightt"], ["lighttpd/1-process", "lighttpd/all-cores"]),
        (["capacity", "--workload", "bigtable-"], ["bigtable-2011"]),
        (["compare", "tornado/1"], ["tornado/1-process"]),
        (["servers", "install", "twis"], ["twisted"]),
        (["servers", "start", "twis"], ["twisted"]),
        (["history", "--study", "sn"], ["snap-2010"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["load", "http://x/", "--rate", "1"], []),
        (["nothing", "at"], []),
        (["servers", "nothing", ""], []),
        (["run", "./no-such.toml", "--only", ""], []),
    ],
)
def test_a_word_is_completed_by_what_may_stand_in_its_place(
    words: list[str], found: list[str]
) -> None:
    assert candidates_for(words) == found


def test_nothing_typed_yet_offers_every_verb_and_no_hidden_one() -> None:
    assert candidates_for([""]) == list(VERBS)


def test_every_server_every_deployment_and_every_study_is_offered() -> None:
    catalogue = list(load_catalogue())
    assert candidates_for(["servers", "show", ""]) == sorted(one.name for one in catalogue)
    for server in catalogue:
        offered = candidates_for(["capacity", f"{server.name}/"])
        assert offered == [f"{server.name}/{name}" for name in server.deployments]
    assert sorted(candidates_for(["run", ""])) == sorted(built_in_studies())


def test_the_arms_of_a_study_of_ones_own_are_offered(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[[arms]]\nname = "old"\nstart = "x"\n[[arms]]\nname = "new"\nstart = "y"\n')
    assert candidates_for(["run", str(file), "--only", ""]) == ["old", "new"]
    for broken in ("[[arms", "arms = 3", "[[arms]]\nserver = 3\n", "\udcff"):
        file.write_text(broken, errors="surrogateescape")
        assert candidates_for(["run", str(file), "--only", ""]) == []


def test_stored_runs_are_offered_where_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path / "a #1?"))
    assert candidates_for(["report", ""]) == []
    assert list(tmp_path.iterdir()) == []
    store = open_store()
    for study in ("mine", "demo", "mine"):
        store.begin_run(replace(RUN, study=study))
    assert candidates_for(["report", ""]) == ["mine", "demo", "3", "2", "1"]
    assert candidates_for(["runs", "show", "d"]) == ["demo"]
    assert candidates_for(["publish", "site", "de"]) == ["demo"]
    for url in ("postgresql://127.0.0.1:1/bench", "nonsense"):
        monkeypatch.setenv("HTTPDYNO_STORE", url)
        assert candidates_for(["report", ""]) == []


def test_bash_completes_with_the_script(shell: Program) -> None:
    line = (
        "httpdyno() { local IFS=' '; $httpdyno \"$@\"; }; source <(httpdyno completion bash)\n"
        "complete -p httpdyno\n"
        "for typed in 'run de' 'servers show ngi' 'run demo --quic'; do\n"
        "  COMP_WORDS=(httpdyno $typed); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _httpdyno\n"
        '  echo "${COMPREPLY[@]}"\n'
        "done\n"
        'COMP_WORDS=(httpdyno run ""); COMP_CWORD=2; _httpdyno; echo ${#COMPREPLY[@]}\n'
    )
    done = shell(line)
    assert done.stderr == ""
    registered, *completed, every = done.stdout.splitlines()
    assert registered == "complete -o default -F _httpdyno httpdyno"
    assert completed == ["demo", "nginx", "--quick"]
    assert int(every) == len(built_in_studies())


@pytest.mark.parametrize(("name", "script"), [("bash", BASH), ("zsh", ZSH), ("fish", FISH)])
def test_each_shell_reads_its_script(name: str, script: str, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    (tmp_path / "script").write_text(script)
    done = subprocess.run(
        [name, "-n", str(tmp_path / "script")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_completing_imports_nothing_heavy() -> None:
    seen = subprocess.run(
        [
            *(sys.executable, "-X", "importtime", "-m", "httpdyno"),
            *("completion", "candidates", "--", "capacity", "starlette/1"),
        ],
        env={**os.environ, "PYTHONPATH": str(PYTHON_SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rsplit("|", 1)[-1].strip() for line in seen.stderr.splitlines()}
    assert seen.stdout == "starlette/1-worker\n"
    assert imported.isdisjoint({*HEAVY, "httpdyno._engine", "httpdyno.servers"})

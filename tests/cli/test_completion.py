"""A shell completes verbs, flags and names, and asks the program for them in no time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.cli.completion.candidates import FILES, candidates_for, quote_word, words_of
from httpdyno.cli.completion.verb import BASH, FISH, ZSH
from httpdyno.cli.frame.verbs import VERBS
from httpdyno.cli.report.verb import FORMATS
from httpdyno.servers import load_catalogue
from httpdyno.store import open_store
from httpdyno.study import built_in_studies
from stored_samples import RUN

from .conftest import PYTHON_SOURCES
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
        (["run", "today-db", "--only", "pyt"], ["python"]),
        (["run", "--seed", "3", "de"], ["demo"]),
        (["run", "demo", "x"], []),
        (["capacity", "starl"], ["starlet", "starlette"]),
        (["capacity", "nginx/1-worker", "lightt"], ["lighttpd/1-process", "lighttpd/all-cores"]),
        (["capacity", "--workload", "bigtable-"], ["bigtable-2011"]),
        (["compare", "tornado/1"], ["tornado/1-process"]),
        (["compare", "a", "tornado/1"], ["tornado/1-process"]),  # the first argument is named `a`
        (["servers", "install", "twis"], ["twisted"]),
        (["servers", "start", "twis"], ["twisted"]),
        (["history", "--study", "sn"], ["snap-2010"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["load", "http://x/", "--rate", "1"], []),
        (["load", ""], []),
        (["load", "--arrivals", "u"], ["uniform"]),
        (["load", "--on-wrong", ""], ["fail", "retry"]),
        (["load", "--tls-version", "1.3"], ["1.3"]),
        (["load", "--driver", ""], ["auto", "io_uring", "epoll"]),
        (["load", "--http", ""], ["1.0", "1.1", "2", "3"]),
        (["load", "--arrivals=e"], ["--arrivals=exponential"]),
        (["load", "--json", "x"], [FILES]),
        (["load", "--json=x"], [FILES]),
        (["load", "--body", "text"], []),
        (["load", "--body", "@text"], [FILES]),
        (["sweep", ""], ["load", "httperf"]),
        (["sweep", "--log", "load", "http://x/", "--arrivals", "c"], ["constant"]),
        (["sweep", "load", "http://x/", "--until"], ["--until", "--until-errors"]),
        (["report", "--format", ""], list(FORMATS)),
        (["report", "--format", "html,m"], ["html,md"]),
        (["runs", "export", "--format", "ota"], ["otava", "otava-config"]),
        (["run", "demo", "--export", "git"], ["github-bigger=", "github-smaller="]),
        (["history", "--metric", "p"], ["p50", "p99"]),
        (["capacity", "--arrivals", "ex"], ["exponential"]),
        (["worker", "--role", ""], ["generator", "server"]),
        (["servers", "list", "--language", "Er"], ["Erlang"]),
        (
            ["servers", "list", "--post", "t"],
            ["tornado-vs-starlette-2019", "tornado-warp-yesod-2012"],
        ),
        (["servers", "list", "--tier", ""], ["history", "niche", "today"]),
        (["servers", "list", "--can", "pip"], ["pipelining"]),
        (["servers", "start", "starlette", "--deployment", "1"], ["1-worker"]),
        (["runs", "import", ""], [FILES]),
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


def test_every_server_every_deployment_and_every_study_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = list(load_catalogue())
    assert candidates_for(["servers", "show", ""]) == sorted(one.name for one in catalogue)
    for server in catalogue:
        offered = candidates_for(["capacity", f"{server.name}/"])
        named = [f"{server.name}/{name}" for name in server.deployments]
        assert offered == (named or [FILES])
    monkeypatch.chdir(tmp_path)
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
    assert candidates_for(["report", ""]) == [FILES]
    assert list(tmp_path.iterdir()) == []
    store = open_store()
    for study in ("mine", "demo", "mine"):
        store.begin_run(replace(RUN, study=study))
    assert candidates_for(["report", ""]) == ["mine", "demo", "3", "2", "1"]
    assert candidates_for(["runs", "show", "d"]) == ["demo"]
    assert candidates_for(["publish", "site", "de"]) == ["demo"]
    for url in ("postgresql://127.0.0.1:1/bench", "nonsense"):
        monkeypatch.setenv("HTTPDYNO_STORE", url)
        assert candidates_for(["report", ""]) == [FILES]


def test_a_study_may_be_a_toml_file_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.toml", "notes.txt", ".hidden.toml", "new\nline.toml", "deep/c.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert candidates_for(["run", "a"]) == ["a b.toml"]
    for name in ("-g.toml", "~h.toml"):
        (tmp_path / name).touch()
    found = candidates_for(["run", ""])
    assert {"./-g.toml", "./~h.toml"} < set(found)
    assert not [one for one in found if one.startswith(("-", "~"))]
    assert "deep/" not in candidates_for(["run", ""])
    assert candidates_for(["run", "d"]) == ["demo", "deep/"]
    assert candidates_for(["run", "deep/"]) == ["deep/c.toml"]
    assert candidates_for(["run", "nowhere/"]) == []
    assert quote_word("a b.toml") == "a\\ b.toml"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("httpdyno run de", ["run", "de"]),
        ("httpdyno run ", ["run", ""]),
        ("httpdyno report --format=m", ["report", "--format=m"]),
        (
            "httpdyno load http://[::1]:80/ --fail-if 'p99 > 1s' --bod",
            ["load", "http://[::1]:80/", "--fail-if", "p99 > 1s", "--bod"],
        ),
        ("httpdyno run 'my st", ["run", "my st"]),
        ('httpdyno run "my st', ["run", "my st"]),
        ("httpdyno run my\\ st", ["run", "my st"]),
        ("httpdyno run my\\", ["run", "my"]),
    ],
)
def test_the_words_of_an_unfinished_line_are_those_that_bash_will_read(
    line: str, words: list[str]
) -> None:
    assert words_of(line) == words


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
    assert imported.isdisjoint({*HEAVY, "httpdyno._engine"})
    declaration = "httpdyno.servers.declaration"
    assert {name for name in imported if name.startswith("httpdyno.servers")} == {
        "httpdyno.servers",
        declaration,
        f"{declaration}.families",
    }

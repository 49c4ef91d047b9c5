"""`httpdyno init`: what it writes is a study that runs, and nothing is overwritten."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
import warm_program
from httpdyno.cli.init.verb import TEMPLATE
from httpdyno.run import read_study
from httpdyno.servers import load_catalogue
from httpdyno.study import Study
from httpdyno.study.loads import LoadShape
from httpdyno.study.own.workload import OwnWorkload


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return warm_program.run([*warm_program.PROGRAM, *words], cwd=folder, timeout_s=60)


def test_what_is_written_loads_and_shows_its_plan(tmp_path: Path) -> None:
    done = run(tmp_path, "init", "mine.toml")
    assert (done.returncode, done.stderr) == (0, "")
    shown = run(tmp_path, "run", "mine.toml", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "arm tornado/1-process" in shown.stdout
    assert "30 trials, about 1 min" in shown.stdout
    text = (tmp_path / "mine.toml").read_text()
    assert "httpdyno run mine.toml --resume" in text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--url", "http://a", "--command", "b"], "`--url` and `--command` exclude each other"),
        (["--build", "b"], "`--build` applies only to `--command`: expected both"),
        (
            ["--url", "http://a", "--path", "/x"],
            "`--path` and `--url` exclude each other: a URL has its own path",
        ),
        (["--command", "b {port}", "--path", "x"], "`--path x`: expected a path such as `/items"),
        (["--url", "ftp://a"], "`--url ftp://a`: expected a URL such as"),
        (
            ["--url", "http://u:s3cret@a/"],
            "`--url http://***@a/`: expected no user or password; send them from a study, by a"
            ' request\'s `headers = { Authorization = "Basic ${NAME}" }`',
        ),
        (["--command", "a && b"], "`--command` has `&&`, but runs without a shell"),
        (["--command", "a\t{port}"], "`a\\t{port}` has a character that is not printable"),
        (["--command", "a {x} {port}"], "`--command`: `{x}` is not a placeholder: expected {py"),
        (["\udcff.toml"], "`FILE \\udcff.toml`: expected the name of a file, in printable char"),
        (["\x1b[31m.toml"], "`FILE \\x1b[31m.toml`: expected the name of a file, in printable"),
        (["a\nb.toml", "--url", "http://a"], "`FILE a\\nb.toml`: expected the name of a file"),
    ],
)
def test_flags_that_make_no_study_are_refused(
    words: list[str], expected: str, tmp_path: Path
) -> None:
    done = run(tmp_path, "init", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {expected}"), done.stderr
    assert not list(tmp_path.iterdir())


def _only(study: Study) -> OwnWorkload:
    (workload,) = study.workloads.values()
    return workload


def test_any_command_and_url_become_a_study_that_says_them_again(tmp_path: Path) -> None:
    command = """sh -c 'exec "./my app" --at {port} --name "h\\xe9llo"'"""
    assert run(tmp_path, "init", "a.toml", "--command", command, "--build", "make").returncode == 0
    study = read_study(tmp_path / "a.toml", load_catalogue())
    assert (study.arms[0].start, study.arms[0].build) == (command, "make")
    assert _only(study).requests[0].path == "/"
    written = (tmp_path / "a.toml").read_text()
    assert 'Change `path` above to one that it has, such as "/hello".' in written
    assert "httpdyno init" not in written
    words = ["init", "c.toml", "--command", command, "--path", "/items?page=2"]
    assert run(tmp_path, *words).returncode == 0
    study = read_study(tmp_path / "c.toml", load_catalogue())
    assert _only(study).requests[0].path == "/items?page=2"
    url = "https://[::1]:8443/items?page=2"
    assert run(tmp_path, "init", "b.toml", "--url", url).returncode == 0
    study = read_study(tmp_path / "b.toml", load_catalogue())
    assert study.arms[0].url == "https://[::1]:8443"
    assert _only(study).requests[0].path == "/items?page=2"


def test_its_examples_in_comments_are_sound_too(tmp_path: Path) -> None:
    """The commented tables, uncommented, make a study as well."""
    lines = TEMPLATE.read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line == "# [loads.visitors]")
    examples = [
        line.removeprefix("# ") if "=" in line or line.startswith("# [") else line
        for line in lines[start:]
    ]
    file = tmp_path / "all.toml"
    file.write_text("\n".join([*lines[:start], *examples]) + "\n")
    study = read_study(file, load_catalogue())
    assert set(study.loads) == {"full-speed", "fixed-rate", "visitors"}
    assert study.quick.blocks == 2
    assert study.published[0].requests_per_s == 1900


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mine.toml", "`mine.toml` exists already: expected the name of a new file"),
        ("mine.txt", "`mine.txt` is not the name of a study: expected a name that ends in `.toml`"),
    ],
)
def test_a_file_that_is_there_stays_as_it_was(tmp_path: Path, name: str, expected: str) -> None:
    (tmp_path / name).write_text("mine")
    done = run(tmp_path, "init", name)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {expected}\n")
    assert (tmp_path / name).read_text() == "mine"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    done = run(tmp_path, "init", "no/where.toml")
    assert done.returncode == 4
    assert "`no/where.toml` cannot be written: No such file or directory" in done.stderr


@pytest.mark.parametrize("name", ["-x.toml", "~x.toml", "my study.toml"])
@pytest.mark.parametrize("flags", [[], ["--url", "http://127.0.0.1:1"]])
def test_its_hint_works_as_it_is_typed_in_a_shell(
    name: str, flags: list[str], tmp_path: Path
) -> None:
    done = run(tmp_path, "init", *flags, "--", name)
    assert done.returncode == 0, done.stderr
    typed = done.stdout.split("`")[1]
    shown = run(tmp_path, *shlex.split(typed)[1:])
    assert shown.returncode == 0, shown.stderr
    assert f"{typed}  " in (tmp_path / name).read_text()


def test_the_guide_names_every_key_of_a_load() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "your-own-study.md").read_text()
    for key in LoadShape.model_fields:
        assert f"`{key}`" in guide, key

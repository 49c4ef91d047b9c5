"""The source distribution: the committed files, with a README for PyPI, a NOTICE and man pages.

Every other part is built from it, so it is complete.
"""

from __future__ import annotations

import shutil
import sys
import tarfile
from pathlib import Path

from release import notice, readme
from release.place import Place, ReleaseError, output, run

__all__ = ["build", "check", "unpack"]

DATA = "httpdyno._engine.data/data/share"
REQUIRED = (
    *("Cargo.lock", "Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE", "PKG-INFO"),
    *(f"{DATA}/man/man1/httpdyno-load.1", f"{DATA}/zsh/site-functions/_httpdyno"),
)
FORBIDDEN = (".so", ".pyc", ".sqlite")


def build(place: Place) -> None:
    """Packs the last commit. Changes that are not committed are left out."""
    if changes := output("git", "status", "--porcelain", "-uno", cwd=place.root).strip():
        print(f"note: built from the last commit, without the changes to:\n{changes}")
    _export(place)
    _write_readme(place)
    (place.source / "NOTICE").write_text(notice.text(place), encoding="utf-8")
    _write_pages(place)
    environment = {"SOURCE_DATE_EPOCH": place.epoch}
    run("maturin", "sdist", "--out", place.out, cwd=place.source, env=environment)
    check(place)


def _export(place: Place) -> None:
    shutil.rmtree(place.source, ignore_errors=True)
    place.source.mkdir(parents=True)
    archive = place.work / "source.tar"
    run("git", "archive", "--output", archive, "HEAD", cwd=place.root)
    with tarfile.open(archive) as opened:
        opened.extractall(place.source, filter="data")
    archive.unlink()


def _write_readme(place: Place) -> None:
    file = place.source / "README.md"
    folders = {
        found.relative_to(place.source).as_posix()
        for found in place.source.rglob("*")
        if found.is_dir()
    }
    repository = place.project["urls"]["Repository"]
    text = file.read_text(encoding="utf-8")
    file.write_text(
        readme.absolute(text, repository, f"v{place.version}", folders), encoding="utf-8"
    )


def _write_pages(place: Place) -> None:
    """Man pages and completions, where maturin finds what belongs under the prefix."""
    share = place.source / DATA
    paths = {"PYTHONPATH": f"{place.source / 'python'}:{place.source / 'tools' / 'docs'}"}
    program = place.source / "tools" / "docs" / "write_man.py"
    run(sys.executable, "-B", program, share / "man" / "man1", cwd=place.source, env=paths)
    for shell, path in (
        ("bash", "bash-completion/completions/httpdyno"),
        ("zsh", "zsh/site-functions/_httpdyno"),
        ("fish", "fish/vendor_completions.d/httpdyno.fish"),
    ):
        words = (sys.executable, "-B", "-m", "httpdyno", "completion", shell)
        script = run(*words, cwd=place.source, env=paths)
        (share / path).parent.mkdir(parents=True, exist_ok=True)
        (share / path).write_text(script, encoding="utf-8")


def check(place: Place) -> None:
    """Refuses an archive that lacks a file, or has one that was compiled or stored."""
    with tarfile.open(place.sdist) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    if missing := [name for name in (*REQUIRED, *_tracked(place)) if name not in names]:
        raise ReleaseError(f"{place.sdist.name} lacks {', '.join(missing[:10])}")
    if strange := sorted(name for name in names if name.endswith(FORBIDDEN)):
        raise ReleaseError(f"{place.sdist.name} has {', '.join(strange[:10])}")


def _tracked(place: Place) -> list[str]:
    listed = output("git", "ls-tree", "-r", "--name-only", "HEAD", "python", cwd=place.root)
    return listed.splitlines()


def unpack(place: Place, folder: Path) -> Path:
    """The unpacked archive. Its files are new, so that cargo compiles them again."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run("tar", "xzmf", place.sdist, "-C", folder, cwd=place.work)
    return folder / f"httpdyno-{place.version}"

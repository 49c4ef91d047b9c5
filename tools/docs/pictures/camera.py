"""Chromium, driven by Playwright: pages become PNG files with a palette."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from small_pngs import smaller

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDE, PHONE = 1100, 390
_SHARPNESS = 1.5
"""Pixels of a picture per CSS pixel: GitHub shows 830 CSS pixels beside each other."""
TO_TOP = "one => window.scrollTo(0, scrollY + one.getBoundingClientRect().y - 16)"
"""Scrolls so that an element begins at the top of the window."""
_FRAMES = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 16px; display: flex; gap: 24px; background: #e9edf2;
  width: max-content }}
img {{ width: {width}px; border-radius: 24px; border: 6px solid #1c2430 }}
</style>{images}"""


@dataclass(frozen=True)
class Camera:
    """A browser, and the folder of its pictures."""

    browser: Browser
    folder: Path

    @contextmanager
    def page(
        self,
        url: str,
        *,
        width: int = WIDE,
        height: int = 1000,
        dark: bool = False,
        sharpness: float = _SHARPNESS,
    ) -> Iterator[Page]:
        """A tab with this page, until the body ends."""
        scheme: Any = "dark" if dark else "light"
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            device_scale_factor=sharpness,
        )
        try:
            page = context.new_page()
            page.goto(url, wait_until="load")
            yield page
        finally:
            context.close()

    def keep(self, name: str, picture: bytes) -> None:
        """Write a picture."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{name}.png").write_bytes(smaller(picture))

    def keep_svg(self, name: str, picture: str) -> None:
        """Write a picture that is text."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{name}.svg").write_text(picture, encoding="utf-8")

    def top(self, name: str, url: str, *, height: int, dark: bool = False) -> None:
        """The beginning of a page, as a reader on a desk sees it."""
        with self.page(url, height=height, dark=dark) as page:
            self.keep(name, page.screenshot())

    def html(self, name: str, html: str, *, sharpness: float = _SHARPNESS) -> None:
        """The body of a page that is made here, as large as it is."""
        with self.page("about:blank", width=1600, sharpness=sharpness) as page:
            page.set_content(html, wait_until="load")
            self.keep(name, page.locator("body").screenshot())

    def beside(self, name: str, pictures: Sequence[bytes]) -> None:
        """Several screens of a phone beside each other."""
        coded = [base64.b64encode(one).decode() for one in pictures]
        images = "".join(f'<img src="data:image/png;base64,{one}">' for one in coded)
        self.html(name, _FRAMES.format(width=PHONE, images=images), sharpness=1.0)


@contextmanager
def camera(folder: Path) -> Iterator[Camera]:
    """A camera with a browser of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        running = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        try:
            yield Camera(running, folder)
        finally:
            running.close()

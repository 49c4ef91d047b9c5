"""The URL of ab's command line."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Url", "parse_url"]

_URL = re.compile(
    r"(?:(https?)://)?(\[[0-9A-Fa-f:.]+\]|[^/:@\[\]?#]+)(?::([0-9]{1,5}))?(/.*)", re.DOTALL
)
_HIGHEST_PORT = 65535


@dataclass(frozen=True)
class Url:
    """The parts of a URL; ab sends the path as it was typed, with its query and its fragment."""

    whole: str
    host: str
    """IPv6 without its brackets."""
    port: int
    path: str
    tls: bool = False

    @property
    def host_header(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.tls) else f"{host}:{self.port}"


def parse_url(text: str) -> Url:
    """Split a URL as ab does, which needs a path. Raises ValueError with what was expected."""
    if re.search(r"[\x00-\x20\x7f]", text):
        raise ValueError("expected no space or control character; write a space as `%20`")
    parts = _URL.fullmatch(text)
    port = int(parts[3] or 0) if parts else 0
    if parts is None or port > _HIGHEST_PORT or parts[3] in ("0", "00"):
        raise ValueError("expected a URL with a path, such as `http://localhost:8080/`")
    tls = parts[1] == "https"
    return Url(text, parts[2].strip("[]"), port or _default_port(tls), parts[4], tls)


def _default_port(tls: bool) -> int:
    return 443 if tls else 80

"""Names for files and page elements, from any words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

MOST_NAME = 60
"""The longest name of a server."""


def slug(*words: str) -> str:
    """Lower-case letters, digits and dashes; words without any of them leave nothing."""
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def file_name(name: str) -> str:
    """A file name for a name such as `tornado/1-process`: different for each name.

    `tornado.1-process`; one that a file name cannot show as it is ends in its hash.
    """
    plain = ".".join(slug(part) for part in name.split("/"))
    if "" not in plain.split(".") and plain == name.replace("/", "."):
        return plain
    return f"{plain}-{sha256(name.encode()).hexdigest()[:8]}".strip("-.")


def server_name(name: str) -> str:
    """The name of a user's own arm as that of a server: `My app` is `my-app`."""
    return slug(name)[:MOST_NAME].strip("-") or "app"


def all_different(slugs: Sequence[str]) -> list[str]:
    """The slugs, where one that is taken or empty gets a number."""
    used = {""}
    found = []
    for plain in slugs:
        number, chosen = 1, plain
        while chosen in used or (number > 1 and chosen in slugs):
            number += 1
            chosen = f"{plain}-{number}".strip("-")
        used.add(chosen)
        found.append(chosen)
    return found

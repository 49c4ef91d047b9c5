"""The pages of the workloads. An application adds how its framework routes and sends them."""

import os
from pathlib import Path
from xml.sax.saxutils import escape

PICTURE = Path(os.environ["FILES"]) / "file.png"


def echo(value):
    if value is None:
        return "<http_test><error>no value specified</error></http_test>"
    return f"<http_test><value>{escape(value)}</value></http_test>"


def bigtable():
    parts = ["<table>"]
    for _ in range(1000):
        parts.append("<tr>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>")
    parts.append("</table>")
    return "".join(parts)


def bigtable_2011():
    parts = ["<html><body><table>\n"]
    for row in range(1, 1001):
        parts.append(f"<tr><td>{row}</td>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>\n")
    parts.append("</table></body></html>")
    return "".join(parts)

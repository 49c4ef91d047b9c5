"""Altair as `Any`: its generated types reject the usage of its own documentation.

The tests check the specifications against the schema of Vega-Lite instead.
"""

from __future__ import annotations

from typing import Any

import altair

alt: Any = altair

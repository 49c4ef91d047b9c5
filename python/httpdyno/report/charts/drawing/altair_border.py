"""Altair as `Any`: its generated types refuse what its own documentation does.

What they would catch is caught by `to_dict`, which checks each specification against the schema
of Vega-Lite.
"""

from __future__ import annotations

from typing import Any

import altair

alt: Any = altair

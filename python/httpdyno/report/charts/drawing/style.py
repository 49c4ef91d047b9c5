"""The look of all charts: colours, sizes, classes.

In the page a colour is a CSS variable, so that one drawing serves light, dark and paper; in a file
it is its light value.
"""

from __future__ import annotations

import re

WIDE, NARROW = 760, 328
"""Widths of the two drawings of a chart, CSS pixels. A phone of 360 px shows the narrow one."""
TWO_LINES = 480
"""A drawing narrower than this has its words above its marks, not beside them."""

# Okabe & Ito, "Color Universal Design" (2008), without black (it is the ink), its yellow darkened
# to be seen on white.
_PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#a89a00", "#7f7f7f")
_DARK_PALETTE = (
    "#3f97d6",
    "#ee7733",
    "#1fbf8f",
    "#e39ac4",
    "#f0b429",
    "#a3d9f7",
    "#d6c832",
    "#a9a9a9",
)
COLOURS = len(_PALETTE)
"""Arms beyond this number share colours."""
_LIGHT = {
    "ink": "#1c2430",
    "muted": "#5a6472",
    "grid": "#dfe3e8",
    "card": "#ffffff",
    **{f"arm-{place}": colour for place, colour in enumerate(_PALETTE)},
}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
DOTTED = "2 4"
"""Dashes of a line of dots."""

_RULES = f"""
svg.hd {{ font-family: {FONT}; font-size: 13px; fill: var(--ink); }}
svg.hd path, svg.hd use {{ fill: none; }}
svg.hd .sm {{ font-size: 12px; }}
svg.hd .b {{ font-weight: 600; }}
svg.hd .i {{ font-style: italic; }}
svg.hd .e {{ text-anchor: end; }}
svg.hd .m {{ text-anchor: middle; }}
svg.hd .mu {{ fill: var(--muted); }}
svg.hd .halo {{ paint-order: stroke; stroke: var(--card); stroke-width: 4px; }}
svg.hd .grid {{ stroke: var(--grid); }}
svg.hd .ax {{ stroke: var(--muted); }}
svg.hd .ref {{ stroke: var(--ink); stroke-width: 1.4px; }}
svg.hd .back {{ stroke: var(--muted); stroke-width: 1.3px; opacity: 0.3; }}
svg.hd .line {{ stroke-width: 2.2px; stroke-linejoin: round; stroke-linecap: round; }}
svg.hd .thin {{ stroke-width: 1.3px; stroke-linejoin: round; }}
svg.hd .bar {{ stroke-width: 3px; stroke-linecap: round; }}
svg.hd .dot {{ stroke-width: 4.4px; stroke-linecap: round; opacity: 0.6; }}
svg.hd .lead {{ stroke-width: 1px; opacity: 0.55; }}
svg.hd .da {{ stroke-dasharray: {DOTTED}; }}
svg.hd .db {{ stroke-dasharray: 6 4; }}
svg.hd .dc {{ stroke-dasharray: 3 3; }}
svg.hd .dd {{ stroke-dasharray: 12 4; }}
svg.hd .de {{ stroke-dasharray: 8 3 2 3; }}
svg.hd .pale {{ opacity: 0.5; }}
"""
_LAST = """
svg.hd .band { opacity: 0.16; }
svg.hd .hill { fill-opacity: 0.4; }
svg.hd .q1 { fill-opacity: 0.1; }
svg.hd .q2 { fill-opacity: 0.22; }
svg.hd .q3 { fill-opacity: 0.38; }
svg.hd .q4 { fill-opacity: 0.56; }
svg.hd .q5 { fill-opacity: 0.78; }
svg.hd .q6 { fill-opacity: 1; }
svg.hd .hol { fill: var(--card); stroke-width: 2px; }
svg.hd .nof { fill: none; }
"""
_DASHES = ("", "db", "da", "dd", "de")
STARTS = 2 * len(_DASHES)
"""Starts of an arm beyond this number share dashes."""
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")


def css() -> str:
    """The classes of the drawings, for the page; colours are its variables."""
    arms = "".join(
        f"svg.hd .f{place} {{ fill: var(--arm-{place}); }}\n"
        f"svg.hd .s{place} {{ stroke: var(--arm-{place}); }}\n"
        for place in range(COLOURS)
    )
    return f"{_RULES.strip()}\n{arms}{_LAST.strip()}\n"


def file_css() -> str:
    """The classes of a drawing that stands alone: light colours."""
    return _VARIABLE.sub(lambda found: _LIGHT[found[1]], css())


def light(name: str) -> str:
    """The light value of a colour: `ink`, `muted`, `grid`, `card`, `arm-0`."""
    return _LIGHT[name]


def palette_css(*, dark: bool = False) -> str:
    """The colours of the arms as CSS declarations; in the dark some are lighter."""
    palette = _DARK_PALETTE if dark else _PALETTE
    return " ".join(f"--arm-{place}: {colour};" for place, colour in enumerate(palette))


def fill(arm: int | None) -> str:
    """The class that fills with the colour of an arm; None: muted."""
    return "mu" if arm is None else f"f{arm % COLOURS}"


def stroke(arm: int | None) -> str:
    """The class that draws lines in the colour of an arm; None: muted."""
    return "ax" if arm is None else f"s{arm % COLOURS}"


def start(place: int) -> str:
    """The classes that tell the lines of an arm's starts apart: dashes, from the sixth on pale."""
    pale, at = divmod(place % STARTS, len(_DASHES))
    return " ".join(filter(None, (_DASHES[at], "pale" if pale else "")))

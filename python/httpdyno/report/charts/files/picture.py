"""Specifications to pictures and to the script that draws them, by vl-convert, offline."""

from __future__ import annotations

from functools import cache

import vl_convert

from httpdyno.report.charts.catalogue import Drawing
from httpdyno.report.charts.drawing.style import for_file
from httpdyno.report.charts.files.png import smaller

_VEGA_LITE = "6.4"
_SHARPNESS = 2.0
"""Pixels of a picture per CSS pixel."""
_NO_NETWORK: list[str] = []
_SNIPPET = "window.httpdynoEmbed = vegaEmbed;"


def page_svg(drawing: Drawing) -> str:
    """The chart as SVG for the page; its colours are CSS variables."""
    return str(
        vl_convert.vegalite_to_svg(
            drawing.spec, vl_version=_VEGA_LITE, allowed_base_urls=_NO_NETWORK
        )
    )


def file_svg(drawing: Drawing) -> str:
    """The chart as an SVG file."""
    spec = for_file(drawing.spec, drawing.title)
    return str(
        vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=_NO_NETWORK)
    )


def file_png(drawing: Drawing) -> bytes:
    """The chart as a PNG file, at twice the resolution of an ordinary screen."""
    spec = for_file(drawing.spec, drawing.title)
    png = vl_convert.vegalite_to_png(
        spec, vl_version=_VEGA_LITE, scale=_SHARPNESS, allowed_base_urls=_NO_NETWORK
    )
    return smaller(bytes(png))


@cache
def javascript() -> str:
    """Vega, Vega-Lite and vega-embed as one script that defines `httpdynoEmbed`."""
    bundle = str(vl_convert.javascript_bundle(_SNIPPET, vl_version=_VEGA_LITE))
    # Inside <script>, these two would end it or change its meaning (HTML, section 13.2.5.17).
    return bundle.replace("<!--", "\\x3c!--").replace("</script", "<\\/script")

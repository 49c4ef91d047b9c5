"""Specifications to pictures, and the script that draws them, by vl-convert: no network."""

from __future__ import annotations

from functools import cache

import vl_convert

from httpdyno.report.charts.catalogue import Drawing
from httpdyno.report.charts.drawing.style import for_file
from httpdyno.report.charts.files.png import smaller

_VEGA_LITE = "6.4"
_SHARPNESS = 2.0
"""Picture dots for each CSS pixel."""
_NO_NETWORK: list[str] = []
_SNIPPET = "window.httpdynoEmbed = vegaEmbed;"


def page_svg(drawing: Drawing) -> str:
    """The chart as it stands in the page, its colours CSS variables."""
    return str(
        vl_convert.vegalite_to_svg(
            drawing.spec, vl_version=_VEGA_LITE, allowed_base_urls=_NO_NETWORK
        )
    )


def file_svg(drawing: Drawing) -> str:
    """The chart as a file of its own."""
    spec = for_file(drawing.spec, drawing.title)
    return str(
        vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=_NO_NETWORK)
    )


def file_png(drawing: Drawing) -> bytes:
    """The chart as a PNG file, twice as sharp as on an ordinary screen."""
    spec = for_file(drawing.spec, drawing.title)
    png = vl_convert.vegalite_to_png(
        spec, vl_version=_VEGA_LITE, scale=_SHARPNESS, allowed_base_urls=_NO_NETWORK
    )
    return smaller(bytes(png))


@cache
def javascript() -> str:
    """Vega, Vega-Lite and vega-embed as one script that defines `httpdynoEmbed`."""
    bundle = str(vl_convert.javascript_bundle(_SNIPPET, vl_version=_VEGA_LITE))
    # Inside <script>, these two would end it or change how it is read (HTML, section 13.2.5.17).
    return bundle.replace("<!--", "\\x3c!--").replace("</script", "<\\/script")

"""Specifications to pictures and to the script that draws them, by vl-convert, offline."""

from __future__ import annotations

from functools import cache

import vl_convert

from httpdyno.report.charts.catalogue import Drawing
from httpdyno.report.charts.drawing.style import Spec, for_file
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


def svg_of(spec: Spec, title: str) -> str:
    """A specification as an SVG file under its title."""
    return str(
        vl_convert.vegalite_to_svg(
            for_file(spec, title), vl_version=_VEGA_LITE, allowed_base_urls=_NO_NETWORK
        )
    )


def png_of(spec: Spec, title: str) -> bytes:
    """A specification as a PNG file under its title, twice as sharp as an ordinary screen."""
    png = vl_convert.vegalite_to_png(
        for_file(spec, title),
        vl_version=_VEGA_LITE,
        scale=_SHARPNESS,
        allowed_base_urls=_NO_NETWORK,
    )
    return smaller(bytes(png))


def file_svg(drawing: Drawing) -> str:
    """The chart as an SVG file."""
    return svg_of(drawing.spec, drawing.title)


def file_png(drawing: Drawing) -> bytes:
    """The chart as a PNG file."""
    return png_of(drawing.spec, drawing.title)


@cache
def javascript() -> str:
    """Vega, Vega-Lite and vega-embed as one script that defines `httpdynoEmbed`."""
    bundle = str(vl_convert.javascript_bundle(_SNIPPET, vl_version=_VEGA_LITE))
    # Inside <script>, these two would end it or change its meaning (HTML, section 13.2.5.17).
    return bundle.replace("<!--", "\\x3c!--").replace("</script", "<\\/script")

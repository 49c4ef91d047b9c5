"""A static site of several studies."""

from httpdyno.report.site.write import SiteOptions, write_site

__all__ = ["SiteOptions", "write_site"]

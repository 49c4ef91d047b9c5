"""The program, loaded to be forked; as a script, the program whose ceilings are soon measured.

The catalogue, the templates of reports and the checks of documents are read, which takes a run half
a second. The ceiling of the load generator is measured for a shorter time, because it keeps two
processors busy: servers of tests answer a fraction of what the generator can send.
"""

from __future__ import annotations

import sys
from importlib import import_module

LOADED = (
    "httpdyno.__main__",
    "httpdyno.cli.capacity.verb",
    "httpdyno.cli.compare.specification",
    "httpdyno.cli.compare.verb",
    "httpdyno.cli.run.measure",
    "httpdyno.cli.run.verb",
    "httpdyno.cli.servers.check",
    "httpdyno.cli.servers.check_view",
    "httpdyno.cli.servers.install",
    "httpdyno.cli.servers.verb",
    "httpdyno.comparison.compare",
    "httpdyno.comparison.report",
    "httpdyno.report.write",
    "httpdyno.run",
    "httpdyno.web.app",
)
CEILING_S = 0.1
"""The window of a ceiling, in place of up to 1.5 s."""


def load(dask: str = "") -> None:
    """Import the modules, and read what never changes. `dask`: those of machines that join, too."""
    for module in LOADED:
        import_module(module)
    _read_what_never_changes()
    shorten_ceilings()
    if dask:
        for module in ("scheduler", "security", "worker"):
            import_module(f"httpdyno.scale.joining.{module}")
        import_module("httpdyno.scale.joining.settings").distributed_module("serve")


def _read_what_never_changes() -> None:
    from httpdyno.measurement import Measurement
    from httpdyno.report.page import environment
    from httpdyno.result import StudyResult
    from httpdyno.servers import load_catalogue
    from httpdyno.study import Study

    load_catalogue()
    for template in environment().list_templates(["j2"]):
        environment().get_template(template)
    for document in (Measurement, Study, StudyResult):
        document.model_rebuild()


def shorten_ceilings() -> None:
    """Measure the ceiling of the load generator for a shorter time."""
    longest, shortest = "CEILING_S", "SHORTEST_CEILING_S"
    for module, name in (("shape", longest), ("shape", shortest), ("capacity", longest)):
        setattr(import_module(f"httpdyno.study.loads.{module}"), name, CEILING_S)


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file
    shorten_ceilings()
    program = import_module("httpdyno.__main__")
    sys.argv[0] = str(program.__file__)
    program.main()

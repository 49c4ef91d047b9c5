"""`httpdyno runs`: list, show, export, import, copy and delete the stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.command import Group
from httpdyno.cli.flags import argument, option
from httpdyno.cli.runs.copy import copy
from httpdyno.cli.runs.export import export
from httpdyno.cli.runs.forget import forget
from httpdyno.cli.runs.options import checked_text, chosen_runs
from httpdyno.cli.store import checked_store
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

__all__ = ["app"]

app = Group("List, show, export, import, copy and delete stored runs.")


@app.verb("list")
def list_runs(
    study: shared.OfStudy = None,
    since: shared.Since = None,
    database: shared.Store = None,
    as_json: shared.AsJson = False,
) -> None:
    """List the stored runs, oldest first: study, date, trials by verdict, machine.

    \b
    Examples:
      httpdyno runs list
      httpdyno runs list --study demo --since 30d
      httpdyno runs list --json
      httpdyno runs list --store postgresql://httpdyno@db/bench
    """
    from httpdyno.cli.runs.view import show_list
    from httpdyno.store import open_store

    help_command = "httpdyno runs list --help"
    store = open_store(checked_store(database, help_command), reading=True)
    runs = chosen_runs(store, study, since, help_command)
    show_list(runs, as_json=as_json)


@app.verb()
def show(
    run: Annotated[str, argument("RUN", "Number of a run, or a study (its newest run)")],
    database: shared.Store = None,
    as_json: shared.AsJson = False,
) -> None:
    """Show a run as it was shown at its end, and what is recorded about its machine.

    \b
    Examples:
      httpdyno runs show 3
      httpdyno runs show demo --json
    """
    from httpdyno.cli.run.table import show_result
    from httpdyno.cli.runs.view import show_facts
    from httpdyno.report.result_json import to_json
    from httpdyno.running.stored_result import find_run, stored_result
    from httpdyno.store import open_store

    help_command = "httpdyno runs show --help"
    checked_text("RUN", run, help_command)
    store = open_store(checked_store(database, help_command), reading=True)
    found = find_run(store, run)
    result = stored_result(store, found)
    if as_json:
        echo(to_json(result), nl=False)
        return
    show_result(result, f"`httpdyno report {found.id}`")
    show_facts(found, result)


app.verb()(export)


@app.verb("import")
def import_files(
    files: Annotated[list[Path], argument("FILE", "Files that export wrote")],
    origin: Annotated[
        str | None, option("--origin NAME", "Where they were measured (default: the file's name)")
    ] = None,
    database: shared.Store = None,
) -> None:
    """Import the runs of another machine, with the facts about that machine.

    A run that is stored already is skipped. If anything is wrong with a file, nothing of any file
    is stored. An imported run is never resumed here.

    \b
    Examples:
      httpdyno runs import runs.json
      httpdyno runs import night-1.json night-2.json --origin ci-runner
    """
    from httpdyno.running.archive.importing import import_runs
    from httpdyno.store import open_store

    help_command = "httpdyno runs import --help"
    for name, text in [*(("FILE", str(file)) for file in files), ("--origin", origin)]:
        checked_text(name, text, help_command)
    store = open_store(checked_store(database, help_command))
    for arrival in import_runs(store, files, origin):
        became = f"run {arrival.number}" if arrival.is_new else f"is run {arrival.number} already"
        echo(printable(f"{arrival.file}: {arrival.study}: {became}"))


app.verb()(copy)
app.verb()(forget)

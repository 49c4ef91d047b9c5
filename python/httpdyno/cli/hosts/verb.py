"""`httpdyno hosts`: the machines of a hosts.toml."""

from pathlib import Path
from typing import Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.command import Group
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.signals import stoppable
from httpdyno.cli.values import Values, printable_name
from httpdyno.errors import UsageError
from httpdyno.output.echo import echo
from httpdyno.output.files import write_file
from httpdyno.output.places import quoted_path

__all__ = ["app"]

File = Annotated[str, argument("HOSTS", "File of the machines, in TOML")]

app = Group(
    """Use several machines together: certificates, a check, start and end.

    \b
    Two machines that send load, over SSH:
      httpdyno hosts init hosts.toml           write a file to fill in
      httpdyno hosts certificates hosts.toml   make certificates for them
      httpdyno hosts up hosts.toml             start a scheduler and the workers
      httpdyno hosts check hosts.toml          who is there, and what stands in the way
      httpdyno load http://10.0.0.9:8080/ --rate 200000 --on hosts.toml
      httpdyno hosts down hosts.toml           end them
    """
)


@app.verb()
def init(
    file: Annotated[
        str,
        argument("FILE", "File to write (default hosts.toml)"),
    ] = "hosts.toml",
) -> None:
    """Write a hosts.toml to fill in.

    \b
      httpdyno hosts init hosts.toml
    """
    from httpdyno.scale.hosts_file import EXAMPLE

    faults = Faults("httpdyno hosts init --help")
    Values(faults).read("FILE", file, printable_name)
    faults.raise_any()
    if Path(file).exists():
        raise UsageError(f"`{file}` exists already: expected the name of a new file")
    write_file(file, EXAMPLE)
    echo(f"wrote {file}; edit it, then `httpdyno hosts certificates {quoted_path(file)}`")


@app.verb()
def certificates(file: File) -> None:
    """Make an authority, and a certificate for each machine.

    What is there already is kept. Copy the folder of a machine to it, unless
    `hosts up` starts it. Keep `ca.key`: who has it can join the cluster.

    \b
      httpdyno hosts certificates hosts.toml
    """
    from httpdyno.scale.hosts_file import read
    from httpdyno.scale.joining.certificates import COORDINATOR, SCHEDULER, make

    hosts = read(Path(file))
    names: dict[str, list[str]] = {COORDINATOR: [], SCHEDULER: []}
    for machine in hosts.machines:
        names[machine.name] = sorted({machine.address, machine.control_address})
    made = make(hosts.folder, names)
    echo(f"{hosts.folder}: {', '.join(made) if made else 'nothing to make: all are there'}")


@app.verb()
def check(
    on: Annotated[
        str,
        argument(
            "HOSTS|ADDRESS",
            "File of the machines, or the address of a scheduler",
        ),
    ],
    certificates_in: shared.Certificates = None,
    ceiling: Annotated[
        bool, option("--ceiling", "Measure how many requests/s each machine can send (1 s of load)")
    ] = False,
) -> int:
    """Show who is there, what each can do, and what stands in the way.

    The exit code is 4 if a machine cannot be used.

    \b
      httpdyno hosts check hosts.toml
      httpdyno hosts check hosts.toml --ceiling
      httpdyno hosts check tls://10.0.1.1:8786 --certificates certificates/coordinator
    """
    from httpdyno.cli.hosts.check import check_and_print

    with stoppable():
        return check_and_print(on, certificates_in, ceiling=ceiling)


@app.verb()
def up(file: File) -> None:
    """Start the scheduler and every worker by SSH, where they do not run yet.

    SSH must work without a question: `ssh MACHINE true`.

    \b
      httpdyno hosts up hosts.toml
    """
    from httpdyno.scale.hosts_file import read
    from httpdyno.scale.up import up as start

    with stoppable():
        start(read(Path(file)), echo)


@app.verb()
def down(file: File) -> None:
    """End the scheduler and every worker, with what they run.

    \b
      httpdyno hosts down hosts.toml
    """
    from httpdyno.scale.hosts_file import read
    from httpdyno.scale.up import down as end

    with stoppable():
        end(read(Path(file)), echo)

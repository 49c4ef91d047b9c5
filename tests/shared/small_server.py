"""A small real server in one file, and its server.toml, for tests that run a study."""

from __future__ import annotations

from pathlib import Path

APP = """\
import asyncio, os, pathlib, sys, time

host = os.environ.get("HOST", "127.0.0.1")
port, body = int(sys.argv[1]), sys.argv[2].encode()
folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
asked = 0
if folder:  # its starts are counted, and the one with the number in `hold` waits
    (folder / "starts").open("a").write("x")
    hold = folder / "hold"
    while hold.exists() and (folder / "starts").stat().st_size >= int(hold.read_text()):
        (folder / "held").touch()
        time.sleep(0.01)


class Answer(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.waiting = transport, b""

    def data_received(self, data):
        global asked
        asked += 1
        if asked == 100 and folder:  # no check asks as often: this is a load
            (folder / "loaded").touch()
            if (folder / "die").exists():
                os._exit(3)
        self.waiting += data
        while b"\\r\\n\\r\\n" in self.waiting:
            head, _, self.waiting = self.waiting.partition(b"\\r\\n\\r\\n")
            line = head.split(b"\\r\\n")[0]
            known = b" /hello " in line
            text = body if known else b"no"
            status = b"200 OK" if known else b"404 Not Found"
            close = b"HTTP/1.0" in line or b"connection: close" in head.lower()
            self.transport.write(
                b"HTTP/1.1 " + status + b"\\r\\nContent-Type: text/plain\\r\\nContent-Length: "
                + str(len(text)).encode() + b"\\r\\n"
                + (b"Connection: close\\r\\n" if close else b"") + b"\\r\\n" + text
            )
            if close:
                self.transport.close()


async def main():
    server = await asyncio.get_running_loop().create_server(Answer, host, port)
    print("listening", os.getpid(), flush=True)
    await server.serve_forever()


asyncio.run(main())
"""

TOML = """\
name = "{name}"
title = "{title}"
language = "Python"
homepage = "https://example.org"
licence = "MIT"
maintained = true
concurrency = "one event loop"
workloads = ["hello"]
[install]
kind = "none"
{build}
[version]
command = ["{{python}}", "-c", "print('1.2.3')"]
[deployments.1-process]
command = {command}
env = {{ HOST = "{{host}}" }}
[ready]
path = "/hello"
timeout_s = 300
[stop]
grace_s = 2
"""
GOOD = '["{python}", "app.py", "{port}", "Hello, world!"]'
COUNTED = '["{{python}}", "app.py", "{{port}}", "Hello, world!", "{folder}"]'
"""A good server with a folder: it counts its `starts` there, tells when it is `held` and `loaded`,
and does what `hold` and `die` say."""
WRONG = '["{python}", "app.py", "{port}", "Hello, World?"]'
NEVER_READY = '["{python}", "-c", "raise SystemExit(\'no such module\')"]'
NO_BUILD = '[build]\ncommand = ["{python}", "-c", "raise SystemExit(\'cannot be built\')"]'


def write_server(folder: Path, name: str, command: str = GOOD, build: str = "") -> Path:
    """Write a server into its own folder, and return the path of its server.toml."""
    home = folder / name
    home.mkdir(parents=True)
    (home / "app.py").write_text(APP)
    toml = TOML.format(name=name, title=name.capitalize(), command=command, build=build)
    (home / "server.toml").write_text(toml)
    return home / "server.toml"

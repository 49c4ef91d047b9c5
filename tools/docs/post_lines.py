"""The command lines of the blog posts, as printed there."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

__all__ = ["POSTS", "PostLine"]


@dataclass(frozen=True)
class PostLine:
    """A line of httperf or ab, and the post that has it."""

    name: str
    source: str
    line: str
    port: int
    """The port that the line names."""
    note: str = ""

    @property
    def title(self) -> str:
        """Its heading: `2010, Happstack`."""
        year, _, server = self.name.partition("-")
        return f"{year}, {server.capitalize()}" if server else year

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.line)

    def arguments(self, port: int | str, **options: str) -> list[str]:
        """The arguments, with another port, and with other values of some options."""
        words = [_on_port(word, self.port, port) for word in self.words[1:]]
        joined = [words[0]]
        for word in words[1:]:  # `--option value` becomes `--option=value`
            if joined[-1].startswith("--") and "=" not in joined[-1] and not word.startswith("-"):
                joined[-1] += f"={word}"
            else:
                joined.append(word)
        for name, value in options.items():
            option = f"--{name.replace('_', '-')}"
            if not any(word.startswith(f"{option}=") for word in joined):
                raise ValueError(f"the line of {self.name} has no `{option}`")
            joined = [f"{option}={value}" if w.startswith(f"{option}=") else w for w in joined]
        return joined


def _on_port(word: str, printed: int, port: int | str) -> str:
    if word == str(printed):
        return str(port)
    return word.replace(f"={printed}", f"={port}").replace(f":{printed}/", f":{port}/")


POSTS = (
    PostLine(
        "2012",
        "“Tornado vs. Warp vs. Yesod”, 2 September 2012",
        "httperf --hog --client=0/1 --server=localhost --port=8080 --uri=/ --rate=1000"
        " --send-buffer=4096 --recv-buffer=16384 --num-conns=100 --num-calls=100"
        " --burst-length=20",
        8080,
    ),
    PostLine(
        "2011",
        "“A comparison between Misultin, Mochiweb, Cowboy, NodeJS and Tornadoweb”, 9 May 2011",
        "httperf --timeout=5 --client=0/1 --server=localhost --port=8080"
        " --uri=/?value=benchmarks --rate=1000 --send-buffer=4096 --recv-buffer=16384"
        " --num-conns=5000 --num-calls=10",
        8080,
        "The surviving copies of the post have lost the line. This is the line that its text"
        " describes: a timeout of 5 s, 10 calls per connection, 50,000 requests, and 100 to 1,200"
        " connections per second; here 1,000.",
    ),
    PostLine(
        "2010",
        "“Web Framework Benchmark Description” of Snap, the line for `/pong`",
        "httperf --hog --num-conns 1000 --num-calls 1000 --burst-length 20 --port 3000"
        " --rate 1000 --uri=/pong",
        3000,
    ),
    PostLine(
        "2010-happstack",
        "the same page, the line for Happstack, which does not support pipelining",
        "httperf --hog --num-conns 100000 --num-calls 1 --burst-length 1 --port 8080"
        " --rate 10000 --uri=/FiringGeometry.png",
        8080,
        "Where the server is slower, httperf runs out of its 1,024 descriptors (`fd-unavail`)."
        " httpdyno has as many as `ulimit -n` permits.",
    ),
    PostLine(
        "2019",
        "“Tornado vs Starlette in 2019”, 3 September 2019",
        "ab -n 1000 -c 10 127.0.0.1:8000/",
        8000,
    ),
)

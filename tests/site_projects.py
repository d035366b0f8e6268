"""Projects with a site, for the tests of the site."""

import http.server
import importlib.metadata
import os
import posixpath
import shutil
import socket
import subprocess
import sys
import textwrap
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

SMALL = {
    "mkdocs.yml": """
        site_name: Small
        theme:
          name: material
          font: false
        plugins:
          - search
          - opbook:
              plugins: [my_ops.py]
              index: ops
        nav:
          - Home: index.md
          - Ops: ops
        """,
    "my_ops.py": '''
        """A plugin of one file."""

        from typing import Any

        from opbook import Array, builtin, hookimpl


        # It is Python's own.
        @builtin(category="Text")
        def say(value: Any) -> None:
            """Prints a value."""
            print(value)


        # It is $2x$, as [`say`](say.md) shows.
        @builtin(category="Doubling")
        def double(x: Array["..."]) -> Array["..."]:
            """Doubles every entry.

            Args:
                x: The entries.

            Returns:
                Twice the entries.
            """
            return 2 * x


        @hookimpl
        def opbook_builtins():
            """Add them."""
            return [say, double]
        ''',
    "docs/index.md": """
        # Welcome

        Twice three, also in [the index](ops/index.md):

        ```qu
        say(double(3))
        ```

        ```output
        6.0
        ```

        ```qu
        say(1)
        ```

        ```output
        1
        ```
        """,
}

BUILD = """
import sys
from opbook.mkdocs import SiteError, build
try:
    build(*sys.argv[1:])
except SiteError as error:
    sys.exit(f"SiteError: {error}")
"""


def instant(name: str, address: str, options: str, *others: str) -> str:
    """Configure a site in which the theme puts other content into a page instead of loading another page.

    Args:
        name: The site's name.
        address: Where it is served: the theme does so at the site's own address only.
        options: The options of our plugin.
        others: Plugins in front of it.
    """
    return f"""
        site_name: {name}
        site_url: {address}
        theme:
          name: material
          font: false
          features: [navigation.instant]
          palette:
            - media: "(prefers-color-scheme: light)"
              scheme: default
            - media: "(prefers-color-scheme: dark)"
              scheme: slate
        plugins: [{", ".join([*others, f"opbook: {{{options}}}"])}]
        """


class Project:
    """A folder with a `mkdocs.yml`.

    Attributes:
        folder: The folder.
        site: Where its site is built.
    """

    def __init__(self, folder: Path, site: Path, environment: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.site = site
        self.environment = os.environ | (environment or {})

    def write(self, name: str, text: str) -> Path:
        """Write a file of the project."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def change(self, name: str, old: str, new: str) -> None:
        """Replace a text in a file of the project."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def build(self) -> subprocess.CompletedProcess[str]:
        """Build the site in a process of its own, so that what it logs and imports stays there."""
        return subprocess.run(
            [sys.executable, "-c", BUILD, "mkdocs.yml", str(self.site)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def page(self, address: str) -> str:
        """Read a page of the site."""
        return (self.site / address / "index.html").read_text(encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        """Read all files of the site."""
        return {
            path.relative_to(self.site).as_posix(): path.read_bytes()
            for path in sorted(self.site.rglob("*"))
            if path.is_file()
        }


def nothing_installed() -> dict[str, str]:
    """The environment in which no plugin is found that happens to be installed."""
    points = importlib.metadata.entry_points(group="opbook")
    return {"OPBOOK_DISABLE": ",".join(point.name for point in points), "OPBOOK_PLUGINS": ""}


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


def find_browser() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


@dataclass
class Visit:
    """A page in a browser window, with what it asked for and complained about."""

    page: Any
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "response",
            lambda answer: self.complaints.append(f"{answer.status}: {answer.url}") if answer.status > 399 else None,
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )

    def open(self, uri: str) -> None:
        self.page.goto(self.address + uri, wait_until="load")

    def assert_quiet(self) -> None:
        elsewhere = [url for url in self.requests if not url.startswith((self.address, "data:", "blob:"))]
        assert (elsewhere, self.complaints) == ([], [])


PATIENCE = 120
"""How many seconds a test waits for what takes less than one: so long only where others keep the machine busy."""
SERVE = "import sys; from opbook.mkdocs import serve; serve('mkdocs.yml', sys.argv[1])"


class Server:
    """A project, served by a process of its own."""

    def __init__(self, project: Project, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.log = log
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE, self.address],
                cwd=project.folder,
                env=project.environment,
                stdout=output,
                stderr=output,
            )

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < end, self.said()
            time.sleep(0.05)

    def page(self, uri: str) -> str:
        with urllib.request.urlopen(f"http://{self.address}/{uri}", timeout=PATIENCE) as answer:
            return answer.read().decode()


class Links(HTMLParser):
    """Collects what a page links to or loads, and the places that can be linked to."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.places: set[str] = set()
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.targets.update(value for name, value in attrs if name in ("href", "src") and value)
        self.places.update(value for name, value in attrs if (name == "id" or (tag, name) == ("a", "name")) and value)


def broken_links(files: Mapping[str, bytes]) -> tuple[list[str], int]:
    """The links from page to page of a site that lead nowhere, and how many there are in all."""
    pages = {name: Links(content) for name, content in files.items() if name.endswith(".html")}
    broken, count = [], 0
    for name, page in pages.items():
        for target in page.targets:
            address = urllib.parse.urlsplit(target)
            if address.scheme:
                continue
            count += 1
            path = urllib.parse.unquote(address.path)
            path = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(name), path)
            path = posixpath.normpath(path) if address.path else name
            found = next(
                (p for p in (path, posixpath.normpath(posixpath.join(path, "index.html"))) if p in files), None
            )
            fragment = urllib.parse.unquote(address.fragment)
            if found is None or (fragment and found in pages and fragment not in pages[found].places):
                broken.append(f"{name}: {target}")
    return sorted(broken), count

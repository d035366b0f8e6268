"""`serve`: an edit makes one rebuild and is shown."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from site_projects import PATIENCE, SERVE, Project, Server


@pytest.fixture
def server(small: Project, tmp_path: Path) -> Iterator[Server]:
    server = Server(small, tmp_path / "log.txt")
    try:
        server.wait(lambda: f"Serving on http://{server.address}/" in server.said())
        yield server
    finally:
        server.process.terminate()
        server.process.wait(PATIENCE)


def test_an_edit_of_a_plugin_makes_one_rebuild_and_is_shown(small: Project, server: Server) -> None:
    assert "Doubles every entry." in server.page("ops/double/")

    small.change("my_ops.py", "return 2 * x", "return 3 * x")
    small.change("my_ops.py", "Doubles every entry.", "Triples every entry.")
    server.wait(lambda: "the site stays as it was" in server.said())
    assert "docs/index.md:5: the output differs" in server.said()
    assert "Traceback" not in server.said()
    page = server.page("ops/double/")
    assert "Doubles every entry." in page, "a failing example leaves the page as it was"
    assert re.search(r'<div role="alert".*docs/index.md:5: the output differs', page, re.DOTALL), "and says so"
    assert 'role="alert"' not in server.page("builtins.json")

    small.change("docs/index.md", "6.0\n", "9.0\n")
    server.wait(lambda: server.said().count("Reloading browsers") == 2)
    page = server.page("ops/double/")
    assert "Triples every entry." in page
    assert "9.0" in page
    assert 'role="alert"' not in page

    time.sleep(1.5)  # a rebuild that causes the next one would begin by now
    assert server.said().count("Detected file changes") == 2
    assert not list(small.folder.rglob("__pycache__"))


@pytest.mark.skipif(os.name == "nt", reason="Windows lets two sockets share an address")
def test_an_address_that_is_taken(small: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        finished = subprocess.run(
            [sys.executable, "-c", SERVE, f"127.0.0.1:{taken.getsockname()[1]}"],
            cwd=small.folder,
            env=small.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert finished.returncode == 1
    assert "SiteError: cannot serve on 127.0.0.1" in finished.stderr

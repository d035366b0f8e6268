"""Two sites: a small project that is not ours, built as often as a test likes, and ours, built once."""

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from site_projects import ROOT, SMALL, Project, QuietHandler, nothing_installed

pytest.importorskip("mkdocs", reason="the site needs the extra opbook[site]")


@pytest.fixture
def new_project(tmp_path: Path) -> Callable[[str], Project]:
    """Makes a small project with a plugin of its own."""

    def new(name: str = "small") -> Project:
        folder = tmp_path / name
        project = Project(folder, folder / "site", nothing_installed())
        for file, text in SMALL.items():
            project.write(file, text)
        return project

    return new


@pytest.fixture
def small(new_project: Callable[[str], Project]) -> Project:
    return new_project("small")


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """This project with its site built strictly."""
    project = Project(ROOT, tmp_path_factory.mktemp("ours") / "site")
    built = project.build()
    assert built.returncode == 0, built.stderr
    return project


@pytest.fixture(scope="session")
def address(ours: Project) -> Iterator[str]:
    """Where our site is served."""
    handler = functools.partial(QuietHandler, directory=str(ours.site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()

"""Two sites: a small project that is not ours, built as often as a test likes, and ours, built once."""

import contextlib
import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from site_projects import PATIENCE, ROOT, SMALL, Project, QuietHandler, Visit, find_browser, nothing_installed

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
def serving() -> Iterator[Callable[[Path], str]]:
    """Serves folders as a plain web server does, each at an address of its own."""
    with contextlib.ExitStack() as stack:

        def serve(folder: Path) -> str:
            handler = functools.partial(QuietHandler, directory=str(folder))
            server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}/"

        yield serve


@pytest.fixture(scope="session")
def address(ours: Project, serving: Callable[[Path], str]) -> str:
    """Where our site is served."""
    return serving(ours.site)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")
    path = find_browser()
    if path is None:
        pytest.skip("there is no Chromium here: apt install chromium")
    api.expect.set_options(timeout=PATIENCE * 1000)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    width, scheme = getattr(request, "param", (1280, "light"))
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    visit = Visit(context.new_page(), address)
    yield visit
    context.close()

"""Python in the page, in a real browser. Its files are fetched by their hashes, or this is skipped."""

import importlib.resources
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playground_site import FILES
from site_projects import ROOT, Project, Visit, nothing_installed

from opbook.playground.files import FOLDER, PARTS
from opbook.playground.gathering import gather, still_missing

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")

pytestmark = pytest.mark.browser

FETCHED = ROOT / ".cache" / "tests" / "playground"
SECONDS = 240_000
"""A browser that has much else to do needs a while to load Python."""


@pytest.fixture(scope="module")
def fetched() -> Path:
    said = list(gather(FETCHED, []))
    problem = still_missing(FETCHED)
    if problem:
        pytest.skip(f"the files of Python in the page can't be fetched here: {' '.join([*said, problem])}")
    return FETCHED


@pytest.fixture(scope="module")
def project(fetched: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("python")
    project = Project(folder, folder / "site", nothing_installed())
    for name, text in FILES.items():
        project.write(name, text)
    shutil.copytree(fetched, folder / FOLDER)
    built = project.build()
    assert built.returncode == 0, built.stderr
    return project


@pytest.fixture(scope="module")
def visit(project: Project, browser: Any, serving: Callable[[Path], str]) -> Iterator[Visit]:
    """One page for all, as Python is loaded once for it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    visit = Visit(context.new_page(), serving(project.site))
    visit.open("")
    yield visit
    context.close()


def run(visit: Visit, number: int, code: str | None = None) -> str:
    """Run an example, changed or not, and give what is said of it."""
    page = visit.page
    page.get_by_role("button", name="Edit", exact=True).nth(number).click()
    field = page.locator(".ob-editor")
    if code is not None:
        field.fill(code)
    field.press("Control+Enter")
    api.expect(page.locator(".ob-play")).not_to_have_attribute("aria-busy", "true", timeout=SECONDS)
    said: str = page.locator(".ob-play-status").inner_text()
    return said


@pytest.fixture(autouse=True)
def closed_again(visit: Visit) -> Iterator[None]:
    yield
    close = visit.page.get_by_role("button", name="Close")
    if close.count():
        close.click()
    visit.assert_quiet()


def test_examples_in_both_languages_give_what_the_page_shows(visit: Visit) -> None:
    buttons = visit.page.locator(".ob-play-corner")
    assert buttons.all_inner_texts() == ["Edit"] * 4
    for number in range(4):
        assert "the same as on the page" in run(visit, number), number
        visit.page.get_by_role("button", name="Close").click()


def test_python_is_nothing_that_a_reader_has_to_know(visit: Visit) -> None:
    code = "import numpy as np\nfrom opbook import vjp\nfrom opbook.ops import double, draw\n"
    code += "print(vjp(double, np.ones(2))[1](np.ones(2))[0])\ndraw([[1, 2]])"
    assert "1 line new, 1 figure new" in run(visit, 3, code)
    assert visit.page.locator(".ob-play-output").inner_text() == "[2. 2.]\n"


def test_a_mistake_in_python_has_a_caret(visit: Visit) -> None:
    assert run(visit, 3, "x = 1\nprint(x / 0)") == "There is an error in line 2."
    shown = visit.page.locator(".ob-play-error").inner_text().splitlines()
    assert shown == ["<input>:2:7: ZeroDivisionError: division by zero", "  print(x / 0)", "        ^"]


def test_a_flood_ends_and_a_loop_is_stopped_and_python_is_there_again(visit: Visit) -> None:
    page = visit.page
    run(visit, 3, "while True:\n    print('x' * 1000)")
    assert "it prints more than 1,000,000 characters" in page.locator(".ob-play-error").inner_text()
    field = page.locator(".ob-editor")
    field.fill("while True:\n    pass")
    field.press("Control+Enter")
    page.get_by_role("button", name="Stop").click()
    api.expect(page.locator(".ob-play-error")).to_have_text("the program was stopped")
    field.fill("print(1)")
    field.press("Control+Enter")
    api.expect(page.locator(".ob-play-output")).to_have_text("1\n", timeout=SECONDS)


def test_a_function_is_held_to_the_builtin_and_axe_finds_nothing(
    visit: Visit, browser: Any, serving: Callable[[Path], str]
) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="what axe finds needs axe-playwright-python")
    visit.open("ops/double/")
    page = visit.page
    page.get_by_text("Is yours right?").click()
    field = page.locator(".ob-compare .ob-editor")
    assert field.input_value().startswith("import numpy as np\n\n\ndef my_double(x):\n")
    status = page.locator(".ob-compare .ob-play-status")
    field.fill("def twice(x):\n    return x + x")
    field.press("Control+Enter")
    api.expect(status).to_contain_text("twice agrees with double on", timeout=SECONDS)
    field.fill("def twice(x):\n    return x + 2")
    field.press("Control+Enter")
    api.expect(status).to_contain_text("twice is not double: it fails on", timeout=SECONDS)
    assert "twice(x=np.array(" in page.locator(".ob-compare-list li").first.inner_text()
    page.evaluate(importlib.resources.files(axe).joinpath("axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run('.md-content', {resultTypes: ['violations']})")["violations"]
    assert not [(one["id"], node["html"][:200]) for one in found for node in one["nodes"]]
    field.fill("def twice(x)\n    return x")
    field.press("Control+Enter")
    api.expect(status).to_have_text("There is an error in line 1.", timeout=SECONDS)
    visit.open("")


def test_a_file_that_is_missing_is_said(project: Project, browser: Any, serving: Callable[[Path], str]) -> None:
    site = project.folder / "broken"
    shutil.copytree(project.site, site)
    (packages,) = site.glob("assets/opbook/pyodide-*/packages-*.zip")
    packages.unlink()
    page = browser.new_page()
    page.goto(serving(site))
    said = run(Visit(page, ""), 0)
    assert said == "The run ended with an error."
    assert "is not there (404)" in page.locator(".ob-play-error").inner_text()
    page.close()


def test_the_site_is_the_same_from_build_to_build_and_has_python_only_where_it_was_fetched(project: Project) -> None:
    first = project.files()
    assert {f"assets/opbook/pyodide-0.27.7/{part.name}" for part in PARTS} <= set(first)
    project.build()
    assert project.files() == first
    without = Project(project.folder, project.folder / "without", project.environment)
    (project.folder / FOLDER / PARTS[0].name).rename(project.folder / "kept")
    try:
        without.build()
    finally:
        (project.folder / "kept").rename(project.folder / FOLDER / PARTS[0].name)
    files = without.files()
    assert not [name for name in files if "pyodide" in name]
    assert b"opbookPlayground = null" in files["assets/opbook/opbook-parts.js"]


ALL = """
from glob import glob
from opbook.examples import run_pages
from opbook.plugins.catalogue import catalogue

results = run_pages(sorted(glob("/opbook/opbook_*/examples.md")), catalogue())
print({result.status for result in results} - {"skipped"}, len(results) > 200)
print(*(result.message for result in results if result.status == "failed"), sep="\\n", end="")
print(*(info.error for info in catalogue().plugins if info.error), sep="\\n", end="")
"""


def test_every_example_of_our_plugins_gives_in_the_page_what_it_gave_in_the_build(
    fetched: Path, tmp_path: Path, browser: Any, serving: Callable[[Path], str]
) -> None:
    project = Project(tmp_path, tmp_path / "site")
    project.write("mkdocs.yml", "site_name: Ours\nplugins: [{opbook: {only: [layer_norm], verify: false}}]\n")
    project.write("docs/index.md", "# Ours\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n")
    shutil.copytree(fetched, tmp_path / FOLDER)
    built = project.build()
    assert built.returncode == 0, built.stderr
    visit = Visit(browser.new_page(), serving(project.site))
    visit.open("")
    run(visit, 0, ALL)
    assert visit.page.locator(".ob-play-output").inner_text() == "{'passed'} True\n"
    visit.page.close()

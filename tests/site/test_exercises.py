"""An exercise that is done on its page, in a real browser: with an engine, and without one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exercises.pages import PAGE
from site_projects import Project, nothing_installed

from opbook.playground.answers import answer
from opbook.plugins.catalogue import Catalogue

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")

pytestmark = pytest.mark.browser

FILES = {
    "mkdocs.yml": """
        site_name: Small
        theme:
          name: material
          font: false
        plugins:
          - opbook:
              verify: false
        """,
    "docs/index.md": PAGE,
}

# In the place of Python in a web worker: the same messages, answered by the Python of this test.
ENGINE = """
Object.defineProperty(globalThis, "opbookPlayground", { value: { megabytes: 0 } });  // the site says it has none
globalThis.Worker = class {
  postMessage({ parts, message }) {
    if (parts) setTimeout(() => this.onmessage({ data: { ready: true } }));
    else engine(message).then((answer) => this.onmessage({ data: { answer } }));
  }
  terminate() {}
};
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, serving: Callable[[Path], str]) -> str:
    folder = tmp_path_factory.mktemp("exercises")
    project = Project(folder, folder / "site", nothing_installed())
    for name, text in FILES.items():
        project.write(name, text)
    built = project.build()
    assert built.returncode == 0, built.stdout + built.stderr
    return serving(project.site)


def visited(browser: Any, address: str, *scripts: str, **functions: Any) -> Any:
    page = browser.new_page()
    for name, function in functions.items():
        page.expose_function(name, function)
    for script in scripts:
        page.add_init_script(script)
    page.goto(address)
    return page


def test_with_an_engine_the_stub_is_completed_and_checked(
    browser: Any, address: str, process_catalogue: Catalogue
) -> None:
    page = visited(browser, address, ENGINE, engine=lambda message: answer(message, process_catalogue))
    frame = page.locator("#exercise-double")
    assert frame.get_by_role("button", name="Edit").count() == 1, "only the stub is for the reader"
    frame.get_by_role("button", name="Edit").click()
    code = frame.get_by_role("textbox")
    status = frame.get_by_role("status")

    code.fill("def double(x):\n    return x * x")
    frame.get_by_role("button", name="Check").click()
    api.expect(status).to_have_text("The answer is not right yet.")
    api.expect(frame.get_by_label("What the check says")).to_have_text("twice 3 is 6, not 9")
    api.expect(frame.get_by_text("A usual cause: It squares.")).to_be_visible()

    code.fill("def double(x):\n    return x + x")
    frame.get_by_role("button", name="Check").click()
    api.expect(status).to_have_text("The answer is right.")
    assert frame.get_by_label("What the check says").count() == 0
    page.close()


def test_without_an_engine_there_is_no_button_and_the_folds_open(browser: Any, address: str) -> None:
    page = visited(browser, address)
    frame = page.locator("#exercise-double")
    assert frame.get_by_role("button", name="Edit").count() == 0
    right = frame.get_by_text("return 2 * x")
    assert not right.is_visible()
    frame.get_by_text("A right answer").click()
    api.expect(right).to_be_visible()
    page.close()

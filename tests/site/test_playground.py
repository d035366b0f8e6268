"""Examples that a reader changes and runs, in a real browser: under `opbook site serve`, and without an engine."""

import importlib.resources
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playground_site import FILES
from site_projects import PATIENCE, Project, Server, Visit, nothing_installed

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("playground")
    project = Project(folder, folder / "site", nothing_installed())
    for name, text in FILES.items():
        project.write(name, text)
    return project


@pytest.fixture(scope="module")
def server(project: Project) -> Iterator[Server]:
    server = Server(project, project.folder / "log.txt")
    try:
        server.wait(lambda: f"Serving on http://{server.address}/" in server.said())
        yield server
    finally:
        server.process.terminate()
        server.process.wait(PATIENCE)


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit = Visit(context.new_page(), f"http://{server.address}/")
    visit.open("")
    yield visit.page
    logged = [text for text in visit.complaints if "livereload" not in text]
    assert not logged
    context.close()


def edit(page: Any, number: int) -> Any:
    """Open the editor of an example, and give its field."""
    page.get_by_role("button", name="Edit", exact=True).nth(number).click()
    field = page.locator(".ob-editor")
    api.expect(field).to_be_focused()
    return field


def status(page: Any) -> Any:
    return page.locator(".ob-play-status")


def test_an_example_that_is_run_as_it_is_gives_what_the_page_shows(page: Any) -> None:
    field = edit(page, 0)
    assert field.input_value() == 'x = [1, 2, 3]\nsay("{double(x)}")\nsay("done")\ndraw([1, 2; 3, 4])'
    field.press("Control+Enter")
    api.expect(status(page)).to_contain_text("the same as on the page")
    api.expect(page.locator(".ob-play-yours svg")).to_be_visible()
    api.expect(page.locator(".ob-play mark, .ob-play-changed")).to_have_count(0)


def test_what_is_changed_is_marked_and_said(page: Any) -> None:
    field = edit(page, 0)
    field.fill('x = [1, 2, 5]\nsay("{double(x)}")\nsay("done")\ndraw([1, 2; 3, 5])\nx @ x')
    page.get_by_role("button", name="Run", exact=True).click()
    api.expect(status(page)).to_contain_text("1 line new, 1 figure new")
    api.expect(page.locator(".ob-play-yours mark")).to_have_text("[2, 4, 10]\n")
    api.expect(page.locator(".ob-play-value")).to_have_text("Value 30")
    api.expect(page.locator(".ob-play-built .language-output")).to_contain_text("[2, 4, 6]")
    page.get_by_role("button", name="Reset").click()
    assert field.input_value().startswith("x = [1, 2, 3]")
    page.get_by_role("button", name="Close").click()
    api.expect(page.locator(".ob-play")).to_have_count(0)
    api.expect(page.locator(".language-output").first).to_be_visible()
    assert page.locator(".language-qu + .language-output + p .ob-figures").count() == 1, "all is where it was"


def test_an_example_that_continues_another_knows_its_names(page: Any) -> None:
    edit(page, 1).press("Control+Enter")
    api.expect(status(page)).to_contain_text("the same as on the page")


def test_a_message_that_the_page_shows_is_no_change(page: Any) -> None:
    edit(page, 2).press("Control+Enter")
    api.expect(status(page)).to_contain_text("the same as on the page")


def test_an_example_with_a_slider_is_compared_with_the_value_of_its_code(page: Any) -> None:
    page.goto(page.url + "slider/")
    page.get_by_role("slider").fill("2")
    api.expect(page.locator(".language-output code")).to_have_text("6")
    api.expect(page.locator(".language-qu code").first).to_contain_text("x = 3")
    field = edit(page, 0)
    assert field.input_value() == 'x = 2\nsay("{double(x)}")\ndraw([x, 4;])'
    field.press("Control+Enter")
    api.expect(status(page)).to_contain_text("the same as on the page")
    page.locator(".ob-play-yours svg").hover(position={"x": 60, "y": 16})
    api.expect(page.locator(".ob-play-yours .ob-said")).to_have_text("row 0, column 1: 4")
    page.get_by_role("button", name="Close").click()
    api.expect(page.locator(".language-output code")).to_have_text("4")
    page.get_by_role("slider").fill("0")
    api.expect(page.locator(".language-output code")).to_have_text("2")


def test_a_mistake_has_a_caret_and_leads_to_its_line(page: Any) -> None:
    field = edit(page, 0)
    field.fill("x = [1, 2]\nsay(doubel(x))")
    field.press("Control+Enter")
    api.expect(status(page)).to_have_text("There is an error in line 2.")
    shown = page.locator(".ob-play-error").inner_text().splitlines()
    assert shown[1:3] == ["  say(doubel(x))", "      ^"]
    page.get_by_role("button", name="Go to line 2").click()
    api.expect(field).to_be_focused()
    start, end = field.evaluate("field => [field.selectionStart, field.selectionEnd]")
    assert (start, end) == (11, 25)


def test_a_program_that_does_not_end_is_stopped(page: Any) -> None:
    field = edit(page, 0)
    field.fill('wait("for ever")')
    field.press("Control+Enter")
    stop = page.get_by_role("button", name="Stop")
    api.expect(stop).to_be_enabled()
    while stop.is_enabled():  # the program may not have begun when it is pressed first
        stop.click()
        page.wait_for_timeout(50)
    api.expect(page.locator(".ob-play-error")).to_have_text("the program was stopped")
    field.fill("say(1)")
    field.press("Control+Enter")
    api.expect(page.locator(".ob-play-output")).to_have_text("1\n")


def test_everything_can_be_done_with_the_keyboard(page: Any) -> None:
    page.get_by_role("button", name="Edit", exact=True).first.focus()
    page.keyboard.press("Enter")
    field = page.locator(".ob-editor")
    api.expect(field).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("f(x) =")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    page.keyboard.type("s")
    assert field.input_value() == "f(x) =\n    x\n    s", "Tab indents, and a new line is indented like the last one"
    page.keyboard.press("Shift+Tab")
    assert field.input_value() == "f(x) =\n    x\ns"
    page.keyboard.press("Control+z")
    assert field.input_value() == "f(x) =\n    x\n    s", "all of it can be undone"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    api.expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    api.expect(field).not_to_be_focused()
    assert page.evaluate("document.activeElement !== document.body")


def test_an_example_is_copied_as_a_command(page: Any) -> None:
    field = edit(page, 0)
    field.fill("say([1, 2; 3, 4]')")
    page.get_by_role("button", name="Copy as opbook eval").click()
    api.expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "opbook eval 'say([1, 2; 3, 4]'\\'')'"


def test_there_is_no_button_without_an_engine(page: Any) -> None:
    languages = page.locator("[data-play]").evaluate_all("blocks => blocks.map(block => block.className)")
    assert len(languages) == 3, "the one that is skipped has none"
    assert all("language-qu" in name for name in languages), "Python is not run by a server"


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_at_the_editor_in_use(browser: Any, server: Server, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="what axe finds needs axe-playwright-python")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"http://{server.address}/")
    field = edit(page, 0)
    for code in ("say(7)\ndraw([1, 2; 3, 5])\n3", "say(8)\ndoubel(1)"):
        field.fill(code)
        field.press("Control+Enter")
        api.expect(page.locator(".ob-play-yours mark")).to_have_text(f"{code[4]}\n")
        page.evaluate(importlib.resources.files(axe).joinpath("axe.min.js").read_text("utf-8"))
        found = page.evaluate("axe.run('.md-content', {resultTypes: ['violations']})")["violations"]
        assert not [(one["id"], node["html"][:200]) for one in found for node in one["nodes"]]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_a_site_without_engines_has_commands_to_copy(
    project: Project, browser: Any, serving: Callable[[Path], str]
) -> None:
    built = project.build()
    assert built.returncode == 0, built.stderr
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit = Visit(context.new_page(), serving(project.site))
    visit.open("")
    buttons = visit.page.locator(".ob-play-corner")
    assert buttons.all_inner_texts() == ["Copy command", "Copy command"], "no line can stand for one that goes on"
    buttons.nth(1).click()
    api.expect(buttons.nth(1)).to_have_text("Copied")
    assert visit.page.evaluate("navigator.clipboard.readText()") == "opbook eval 'say(duoble)'"
    visit.assert_quiet()
    context.close()


def test_examples_on_the_page_of_a_builtin_can_be_changed_and_its_other_code_can_not(page: Any) -> None:
    page.goto(page.url + "ops/double/")
    example = page.locator('.language-qu[id^="run-"]').first
    api.expect(example).to_have_attribute("data-play", "edit")
    edit(page, 0).press("Control+Enter")
    api.expect(status(page)).to_contain_text("the same as on the page")
    others = page.locator(".language-python:not([id^=run-]), .ob-call")
    assert others.count() > 1
    assert not any(others.evaluate_all("blocks => blocks.map(block => 'play' in block.dataset)"))

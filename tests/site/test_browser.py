"""Our own site in a real browser."""

import statistics
from collections.abc import Callable
from pathlib import Path

import pytest
from site_measures import FLAGSHIPS, MEDIAN, NARROW, TALLEST, WIDE, measure, names
from site_projects import ROOT, Project, Visit

from opbook.plugins.catalogue import catalogue

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "builtins/",
    "builtins/layer_norm/",
    "builtins/transformer_block/",
    "learn/statistics-ml/",
    "builtins/a-z/",
    "builtins/category/attention/",
    "builtins/plugin/opbook-math/",
    "builtins/scaled_dot_product_attention/",
    "reference/api/",
    "reference/site/",
    "reference/machine-files/",
)


def shown(visit: Visit) -> list[str]:
    names = visit.page.locator(".ob-table tbody tr:visible td:first-child a")
    return names.all_inner_texts()


def test_the_table_can_be_filtered_by_names_aliases_and_words(visit: Visit) -> None:
    visit.open("builtins/")
    everything = shown(visit)
    box = visit.page.get_by_label("Filter")
    for words, found in (("mha", ["multi_head_attention"]), ("opbook-reductions smallest", ["min"])):
        box.fill(words)
        assert shown(visit) == found
        api.expect(visit.page.locator(".ob-table-filter").get_by_role("status")).to_have_text(
            f"{len(found)} of {len(everything)}"
        )
    assert visit.page.locator(".ob-table h2:visible").count() == 1, "empty categories go"
    box.press("Escape")
    assert shown(visit) == everything
    visit.assert_quiet()


def test_what_the_table_is_filtered_by_stands_in_the_address(visit: Visit) -> None:
    visit.open("builtins/?q=sliding")
    box = visit.page.get_by_label("Filter")
    api.expect(box).to_have_value("sliding")
    assert shown(visit) == ["sliding_window_mask"]
    box.fill("look-ahead")
    visit.page.wait_for_url("**/builtins/?q=look-ahead")
    assert shown(visit) == ["causal_mask"]
    visit.page.get_by_role("link", name="causal_mask", exact=True).locator("visible=true").last.click()
    visit.page.go_back()
    api.expect(box).to_have_value("look-ahead")
    box.press("Escape")
    visit.page.wait_for_url("**/builtins/")
    visit.assert_quiet()


def test_the_table_is_sorted_with_the_keyboard(visit: Visit) -> None:
    visit.open("builtins/")
    grouped = shown(visit)
    heading = visit.page.get_by_role("columnheader", name="Name").first
    heading.get_by_role("button").focus()
    visit.page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert shown(visit) == sorted(grouped)
    assert visit.page.locator(".ob-table h2:visible, .ob-table table:visible").count() == 1
    visit.page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert shown(visit) == sorted(grouped, reverse=True)
    visit.page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") is None
    assert shown(visit) == grouped
    visit.assert_quiet()


def test_the_index_needs_no_script(browser: "api.Browser", address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "builtins/")
    rows = page.locator(".ob-table tbody tr")
    assert rows.count() == page.locator(".ob-table tbody td:first-child a").count() == len(catalogue())
    page.get_by_role("link", name="layer_norm", exact=True).first.click()
    assert page.url.endswith("/builtins/layer_norm/")
    context.close()


def test_examples_in_two_languages_are_tabs(visit: Visit) -> None:
    visit.open("builtins/layer_norm/")
    tabs = visit.page.locator(".tabbed-set").first
    tabs.get_by_text("python", exact=True).first.click()
    api.expect(tabs.locator(".language-python").first).to_be_visible()
    api.expect(tabs.locator(".language-qu").first).to_be_hidden()
    visit.assert_quiet()


@pytest.mark.parametrize("visit", [(760, "light")], indirect=True)  # if it were narrower, the tape would be a list
def test_a_tape_that_is_too_wide_scrolls_by_itself_and_with_the_keyboard(visit: Visit) -> None:
    visit.open("builtins/lstm_forward/")
    visit.page.locator("#tape > summary").click()
    tape = visit.page.locator(".ob-tape")
    visit.page.locator(".ob-live").wait_for()
    tape.evaluate("tape => { tape.scrollLeft = 0; }")
    tape.focus()
    visit.page.keyboard.press("ArrowRight")
    visit.page.wait_for_function("document.querySelector('.ob-tape').scrollLeft > 0")
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.assert_quiet()


@pytest.mark.parametrize("visit", [(360, "light")], indirect=True)
def test_on_a_narrow_screen_the_tape_is_a_list_that_fits(visit: Visit) -> None:
    for name in ("layer_norm", "multi_head_attention", "llama_block"):
        visit.open(f"builtins/{name}/")
        visit.page.locator("#tape > summary").click()
        api.expect(visit.page.locator(".ob-tape-picture")).to_be_hidden()
        api.expect(visit.page.locator(".ob-tape-list li").first).to_be_visible()
        assert (
            visit.page.evaluate(
                """() => [...document.querySelectorAll(".ob-tape, .ob-tape-list li")]
                .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""
            )
            == []
        )
    visit.assert_quiet()


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_numbers_stand_beside_their_lines(
    browser: "api.Browser", small: Project, serving: Callable[[Path], str], width: int
) -> None:
    """Also below a line that is too long, and in the style of our own site."""
    small.write("docs/site.css", (ROOT / "docs/stylesheets/site.css").read_text(encoding="utf-8"))
    extras = "extra_css: [site.css]\nmarkdown_extensions: [pymdownx.highlight, pymdownx.superfences]\n"
    small.change("mkdocs.yml", "site_name: Small\n", f"site_name: Small\n{extras}")
    code = f"print(1)\nprint(sum([{'1, ' * 99}]))\nprint(3)"
    fence = f'```python linenums="1"\n{code}\n```\n\n```output\n1\n99\n3\n```\n'
    small.write("docs/numbers.md", f"# Numbers\n\n{fence}")
    built = small.build()
    assert built.returncode == 0, built.stderr
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(f"{serving(small.site)}numbers/", wait_until="load")
    numbers, lines = page.evaluate(
        """() => {
            const range = document.createRange();
            const top = (one) => { range.selectNodeContents(one); return range.getClientRects()[0].top; };
            const code = [...document.querySelectorAll(".highlighttable code span")];
            const lines = code.filter((one) => one.textContent === "print");
            return [[...document.querySelectorAll(".linenos .normal")].map(top), lines.map(top)];
        }"""
    )
    page.close()
    assert len(numbers) == 3
    assert lines == pytest.approx(numbers, abs=1)


def test_a_page_shows_the_output_of_its_example(visit: Visit) -> None:
    visit.open("builtins/multi_head_attention/")
    output = visit.page.locator(".language-output", has_text="matches plain self-attention")
    api.expect(output).to_be_visible()
    assert "matches plain self-attention: true" in output.inner_text()
    visit.assert_quiet()


def test_code_fits_and_pages_are_short(browser: "api.Browser", ours: Project, address: str) -> None:
    wide, narrow = (browser.new_page(viewport={"width": width, "height": 800}) for width in (WIDE, NARROW))
    heights = {}
    for name in names(ours.site):
        at_1280, at_360 = (measure(page, f"{address}builtins/{name}/") for page in (wide, narrow))
        heights[name] = at_1280.height
        assert (at_1280.cut, at_1280.sideways, at_360.silent, at_360.sideways) == ([], False, [], False), name
    assert statistics.median(heights.values()) <= MEDIAN
    assert all(heights[name] <= TALLEST for name in FLAGSHIPS), heights
    wide.close()
    narrow.close()


@pytest.mark.parametrize("visit", [(1280, "light"), (360, "dark")], indirect=True)
def test_formulas_are_set_in_the_font_of_the_site(visit: Visit) -> None:
    visit.open("builtins/layer_norm/")
    formula = visit.page.locator(".arithmatex math").first
    api.expect(formula).to_be_visible()
    font = visit.page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"Opbook Math\"'))")
    assert font
    assert any(url.endswith("opbook-math.woff2") for url in visit.requests)
    visit.assert_quiet()


def test_formulas_need_no_script(browser: "api.Browser", address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "builtins/layer_norm/")
    fraction = page.locator("math[display=block] mfrac").first
    above, below = (fraction.locator("xpath=*").nth(i).bounding_box() for i in (0, 1))
    assert above["y"] + above["height"] <= below["y"], "a numerator stands above its denominator"
    context.close()


@pytest.mark.parametrize("visit", [(360, "light"), (360, "dark"), (1280, "dark")], indirect=True)
def test_no_page_scrolls_sideways_or_asks_another_host(visit: Visit) -> None:
    for uri in PAGES:
        visit.open(uri)
        width, room = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert width <= room, uri
    visit.assert_quiet()


@pytest.mark.parametrize("visit", [(1280, "light"), (1280, "dark")], indirect=True)
def test_the_scheme_follows_the_system(visit: Visit) -> None:
    visit.open("")
    light = visit.page.evaluate("matchMedia('(prefers-color-scheme: light)').matches")
    background = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, background.removeprefix("rgb(").removesuffix(")").split(", ")))
    assert (brightness > 600) == light
    assert (brightness < 150) != light

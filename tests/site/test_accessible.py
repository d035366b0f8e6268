"""Our own site for everyone: what axe finds, the keyboard, paper, and a network that is switched off."""

import importlib.resources

import pytest
from site_projects import Visit

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")
axe = pytest.importorskip("axe_playwright_python", reason="what axe finds needs axe-playwright-python")

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "builtins/",
    "builtins/category/attention/",
    "builtins/layer_norm/",
    "builtins/scaled_dot_product_attention/",
    "builtins/multi_head_attention/",
    "builtins/transformer_block/",
    "builtins/guides/01-slopes/",
    "learn/statistics-ml/",
    "reference/api/differentiation/",
    "404.html",
)
"""One page of each kind, and what is shown where there is none."""

VIEWS = [(width, scheme) for width in (1280, 360) for scheme in ("light", "dark")]


@pytest.fixture(scope="module")
def axe_script() -> str:
    return importlib.resources.files(axe).joinpath("axe.min.js").read_text("utf-8")


@pytest.mark.parametrize("visit", VIEWS, indirect=True)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(visit: Visit, axe_script: str) -> None:
    found = []
    for uri in PAGES:
        visit.open(uri)
        visit.page.evaluate(axe_script)
        result = visit.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found += [
            f"{uri}: {violation['id']}: {node['html'][:160]} {node['failureSummary']}"
            for violation in result["violations"]
            for node in violation["nodes"]
        ]
        width, room = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert width <= room, uri
    assert not found, f"{len(found)}\n" + "\n".join(found)
    visit.assert_quiet()


@pytest.mark.parametrize("visit", VIEWS, indirect=True)
def test_axe_finds_nothing_in_a_search(visit: Visit, axe_script: str) -> None:
    visit.open("builtins/layer_norm/")
    visit.page.keyboard.press("/")
    visit.page.keyboard.type("softmax gradient")
    visit.page.get_by_role("option").first.wait_for()
    visit.page.evaluate(axe_script)
    found = visit.page.evaluate("axe.run(document.querySelector('.ob-search'), {resultTypes: ['violations']})")
    assert [(one["id"], one["nodes"][0]["html"][:160]) for one in found["violations"]] == []


@pytest.mark.parametrize("visit", [(360, "light")], indirect=True)
def test_what_scrolls_can_be_reached_with_the_keyboard(visit: Visit) -> None:
    unreachable = """
        () => [...document.querySelectorAll("article *")].filter((element) => {
            const style = getComputedStyle(element);
            return element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1
                && ["auto", "scroll"].includes(style.overflowX) && element.checkVisibility()
                && element.tabIndex < 0 && !element.querySelector("a[href], button, [tabindex='0']");
        }).map((element) => element.outerHTML.slice(0, 120))
    """
    for uri in PAGES:
        visit.open(uri)
        assert visit.page.evaluate(unreachable) == [], uri


def focused(visit: Visit) -> str:
    return visit.page.evaluate(
        "(document.activeElement.getAttribute('aria-label') || document.activeElement.title || "
        "document.activeElement.textContent).trim().replace(/\\s+/g, ' ')"
    )


def test_the_keyboard_goes_from_the_skip_link_to_the_content(visit: Visit) -> None:
    visit.open("builtins/layer_norm/")
    visit.page.keyboard.press("Tab")
    assert focused(visit) == "Skip to content"
    visit.page.keyboard.press("Enter")
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.querySelector('article').contains(document.activeElement)")
    assert visit.page.evaluate("document.activeElement.getBoundingClientRect().top >= 0")


def test_the_keyboard_reaches_everything_in_the_order_of_the_page(visit: Visit) -> None:
    visit.open("builtins/layer_norm/")
    reachable = "a[href]:not([tabindex='-1']), summary, .tabbed-set > input:checked, .ob-tape"
    wanted = visit.page.evaluate(
        "wanted => [...document.querySelector('article').querySelectorAll(wanted)]"
        ".filter((e) => e.matches('input') ? !e.closest('details:not([open])') : e.checkVisibility()).length",
        reachable,
    )
    assert wanted > 30
    visit.page.evaluate("document.querySelector('article a[href]').focus()")
    places, seen = [], set()
    for _ in range(400):
        place = visit.page.evaluate(
            """reachable => {
                const all = [...document.querySelectorAll("article *")];
                const e = document.activeElement;
                return document.querySelector("article").contains(e) ? [all.indexOf(e), e.matches(reachable)] : null;
            }""",
            reachable,
        )
        if place is None:
            break
        places.append(place[0])
        if place[1]:
            seen.add(place[0])
        visit.page.keyboard.press("Tab")
    assert places == sorted(places)
    assert len(seen) >= wanted


def test_paper_shows_the_content_and_nothing_around_it(visit: Visit) -> None:
    visit.page.emulate_media(media="print", color_scheme="dark")
    visit.open("builtins/layer_norm/")
    for around in (".md-header", ".md-tabs", ".md-sidebar--primary", ".md-sidebar--secondary", ".md-footer"):
        api.expect(visit.page.locator(around).first).to_be_hidden()
    api.expect(visit.page.locator(".md-clipboard, .md-code__button").first).to_be_hidden()
    for code in visit.page.locator(".tabbed-set .language-python").all():
        api.expect(code).to_be_visible()  # nobody can open a tab on paper
    ink, paper = visit.page.evaluate(
        "[getComputedStyle(document.querySelector('h1')).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert brightness(ink) < 200, ink
    assert brightness(paper) > 700, paper


def brightness(colour: str) -> int:
    return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(", ")[:3])


def test_no_request_leaves_the_host_on_the_way_from_page_to_page(visit: Visit) -> None:
    visit.open("")
    for name in ("Builtin index", "softmax", "Elementwise & activations", "gelu"):
        visit.page.get_by_role("link", name=name, exact=True).locator("visible=true").first.click()
        api.expect(visit.page.locator("h1")).to_contain_text(name)
    assert len(visit.requests) > 20
    visit.assert_quiet()


def test_the_site_needs_no_server(ours, browser: "api.Browser") -> None:
    """From a folder, with the network switched off."""
    context = browser.new_context(offline=True)
    visit = Visit(context.new_page(), f"{ours.site.as_uri()}/")
    visit.open("builtins/layer_norm/index.html")
    api.expect(visit.page.locator("math").first).to_be_visible()
    visit.page.locator("#example-rows-before-and-after > summary").click()
    api.expect(visit.page.locator("#example-rows-before-and-after .ob-figures svg").first).to_be_visible()
    assert [url for url in visit.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()

"""Our own site in a real browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from site_projects import find_browser

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "builtins/",
    "builtins/layer_norm/",
    "builtins/transformer_block/",
    "learn/statistics-ml/",
    "reference/api/",
)


@dataclass
class Visit:
    """A page in a browser window, with what it asked for and complained about."""

    page: "api.Page"
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


@pytest.fixture(scope="module")
def browser() -> Iterator["api.Browser"]:
    path = find_browser()
    if path is None:
        pytest.skip("there is no Chromium here: apt install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: "api.Browser", address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    width, scheme = getattr(request, "param", (1280, "light"))
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    visit = Visit(context.new_page(), address)
    yield visit
    context.close()


@pytest.mark.parametrize(
    "query",
    ["multi_head_attention", "scaled_dot_product_attention", "layer_norm", "transformer_block", "softmax", "sum"],
)
def test_search_finds_the_page_of_a_builtin_first(visit: Visit, query: str) -> None:
    visit.open("builtins/")
    box = visit.page.locator("input.md-search__input")
    box.click()
    box.type(query)
    first = visit.page.locator("a.md-search-result__link").first
    first.wait_for()
    api.expect(first).to_have_attribute("href", re.compile(rf"builtins/{query}/([?#].*)?$"))
    first.click()
    api.expect(visit.page.locator("h1")).to_contain_text(query)
    assert f"/builtins/{query}/" in visit.page.url
    visit.assert_quiet()


def test_a_page_shows_the_output_of_its_example(visit: Visit) -> None:
    visit.open("builtins/multi_head_attention/")
    output = visit.page.locator(".language-output", has_text="matches plain self-attention")
    api.expect(output).to_be_visible()
    assert "matches plain self-attention: true" in output.inner_text()
    visit.assert_quiet()


def test_formulas_are_set(visit: Visit) -> None:
    visit.open("builtins/layer_norm/")
    formula = visit.page.locator(".arithmatex .katex").first
    api.expect(formula).to_be_visible()
    assert visit.page.locator(".katex-error").count() == 0
    visit.assert_quiet()


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

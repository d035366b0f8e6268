"""Pictures that one can touch, in a real browser: what they say is what opbook gives in Python."""

import importlib.resources
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from site_projects import Project, Visit, instant

from opbook.ops import attention_weights, layer_norm, softmax

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")

pytestmark = pytest.mark.browser

GUIDE = """
    # Guide

    [The page of attention](builtins/scaled_dot_product_attention.md)

    ```qu
    heatmap([1.5, -2.25; 0, 4], title = "small")
    heatmap(reshape(linspace(0, 1, 4096), (64, 64)), title = "coarse")
    ```
    """

ATTENTION = "builtins/scaled_dot_product_attention/"
WORDS = ("the", "cat", "sat", "down")
Q = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0], [-1.0, 1.0]])
"""The queries and the keys of the page's own examples."""

VIEWS = [(width, scheme) for width in (1280, 360) for scheme in ("light", "dark")]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, serving: Any) -> str:
    folder = tmp_path_factory.mktemp("touch")
    project = Project(folder, folder / "site")
    address = serving(project.site)
    only = "scaled_dot_product_attention, heatmap, layer_norm, softmax"
    project.write("mkdocs.yml", instant("Touch", address, f"only: [{only}], verify: false", "search"))
    project.write("docs/index.md", GUIDE)
    built = project.build()
    assert built.returncode == 0, built.stderr
    return address


@pytest.fixture
def attention(visit: Visit) -> Iterator[Visit]:
    visit.open(ATTENTION)
    unfold(visit)
    yield visit
    visit.assert_quiet()


def unfold(visit: Visit) -> None:
    visit.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def pointed(visit: Visit) -> Any:
    """The first picture whose cells tell where they come from."""
    return visit.page.locator(".ob-told:not(:has(.ob-board))").first


def switched(visit: Visit) -> Any:
    """The first picture whose cells are switches."""
    return visit.page.locator(".ob-told:has(.ob-board)").first


def said(figure: Any) -> str:
    return figure.locator(".ob-said").inner_text()


def middle(figure: Any, row: int, column: int) -> dict[str, float]:
    """The middle of a cell, from the corner of the picture."""
    return figure.locator("svg").evaluate(
        """(svg, [row, column]) => {
            const [wide, high] = JSON.parse(svg.dataset.cells).size, frame = svg.getBoundingClientRect();
            const place = new DOMPoint((column + 0.5) * wide, (row + 0.5) * high).matrixTransform(svg.getScreenCTM());
            return {x: place.x - frame.x, y: place.y - frame.y};
        }""",
        [row, column],
    )


def shown(number: float) -> str:
    """A number below 10 as a page shows it."""
    return f"{round(float(number), 4):g}"


def numbers(texts: list[str]) -> list[float]:
    return [float(text.replace("−", "-")) for text in texts]


@pytest.mark.parametrize("visit", VIEWS, indirect=True)
def test_a_cell_tells_the_way_from_query_and_key_to_the_weight(attention: Visit) -> None:
    figure, weights, scores = pointed(attention), attention_weights(Q, Q), Q @ Q.T / np.sqrt(2)
    for row, column in ((0, 0), (2, 3), (3, 1), (1, 2)):
        figure.locator("svg").hover(position=middle(figure, row, column))
        heading, product, score, softmax, value = said(figure).split("\n")
        weight = shown(weights[row, column])
        assert heading == f"{WORDS[row]}, {WORDS[column]}: {weight}"
        assert product.replace("−", "-").endswith(f"= {Q[row] @ Q[column]:g}")
        assert score.replace("−", "-").endswith(f"= {scores[row, column]:.3g}")
        assert softmax.endswith(f"= [{', '.join(map(shown, weights[row]))}]")
        assert value.startswith(f"weight {weight} of the value [")


def test_arrow_keys_go_from_cell_to_cell_and_stop_at_the_edge(attention: Visit) -> None:
    figure, keyboard, weights = pointed(attention), attention.page.keyboard, attention_weights(Q, Q)
    figure.focus()
    for key, row, column in (
        ("ArrowRight", 0, 0),  # the first key shows where one is
        ("ArrowRight", 0, 1),
        ("ArrowDown", 1, 1),
        ("End", 1, 3),
        ("ArrowRight", 1, 3),
        ("ArrowLeft", 1, 2),
        ("Home", 1, 0),
        ("ArrowUp", 0, 0),
        ("ArrowUp", 0, 0),
    ):
        keyboard.press(key)
        assert said(figure).startswith(f"{WORDS[row]}, {WORDS[column]}: {shown(weights[row, column])}\n"), key


def test_a_touch_tells_as_much(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800}, has_touch=True)
    visit = Visit(context.new_page(), address)
    visit.open(ATTENTION)
    unfold(visit)
    figure = pointed(visit)
    figure.locator("svg").tap(position=middle(figure, 3, 0))
    assert said(figure).startswith(f"down, the: {shown(attention_weights(Q, Q)[3, 0])}\n")
    context.close()


def test_any_heatmap_says_row_column_and_value_and_a_coarse_one_the_mean(visit: Visit) -> None:
    visit.open("")
    small, coarse = visit.page.locator(".ob-figure").all()
    small.locator("svg").hover(position=middle(small, 0, 1))
    assert said(small) == "row 0, column 1: −2.25"
    coarse.focus()
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press("ArrowDown")
    mean = np.linspace(0, 1, 4096).reshape(64, 64)[2:4, :2].mean()
    assert said(coarse) == f"rows 2 to 3, columns 0 to 1: mean {shown(mean)}"
    visit.assert_quiet()


MASKS = {
    "as it is": np.tri(4),
    "one pair": np.array([[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]),
    "a row of nothing": np.array([[1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]),
    "nothing": np.zeros((4, 4)),
}


@pytest.mark.parametrize("visit", VIEWS[:2], indirect=True)
def test_clicking_a_mask_shows_its_weights(attention: Visit) -> None:
    figure = switched(attention)
    buttons = figure.locator(".ob-switches button")
    now = np.tri(4)
    for name, mask in MASKS.items():
        for place in np.flatnonzero(now != mask):
            buttons.nth(int(place)).click()
        now = mask
        assert numbers(buttons.all_inner_texts()) == attention_weights(Q, Q, mask).round(4).reshape(-1).tolist(), name
        pressed = [button.get_attribute("aria-pressed") for button in buttons.all()]
        assert pressed == ["true" if one else "false" for one in mask.reshape(-1)], name
    assert said(figure).startswith("down, sat: 0, blocked\n"), "the last that was clicked"
    assert "softmax of the row's scores [−∞, −∞, −∞, −∞] = [0, 0, 0, 0]" in said(figure)


def test_masks_that_one_learns_from_have_buttons(attention: Visit) -> None:
    figure = switched(attention)
    buttons = figure.locator(".ob-switches button")
    last = np.ones((4, 4)) * [1, 1, 1, 0]
    masks = {"all blocked": np.zeros((4, 4)), "causal": np.tri(4), "no mask": None, "last key is padding": last}
    for name, mask in masks.items():
        figure.get_by_role("button", name=name, exact=True).click()
        weights = attention_weights(Q, Q, mask).round(4)
        assert numbers(buttons.all_inner_texts()) == weights.reshape(-1).tolist(), name
        assert said(figure).startswith(f"{name}: the [{', '.join(map(shown, weights[0]))}]; cat")


def test_a_mask_needs_no_mouse(attention: Visit) -> None:
    figure, keyboard = switched(attention), attention.page.keyboard
    buttons = figure.locator(".ob-switches button")
    assert figure.locator(".ob-switches [tabindex='0']").count() == 1
    buttons.first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "Space"):  # row 2, key 1
        keyboard.press(key)
    mask = np.tri(4)
    mask[2, 1] = 0
    assert numbers(buttons.all_inner_texts()) == attention_weights(Q, Q, mask).round(4).reshape(-1).tolist()
    name = f"sat may look at cat: {shown(0)}"
    api.expect(figure.get_by_role("button", name=name, pressed=False)).to_be_focused()
    assert figure.locator("[role=status]").inner_text().startswith("sat, cat: 0, blocked\n")
    keyboard.press("Tab")
    api.expect(figure.get_by_role("button", name="causal")).to_be_focused()


def slider(visit: Visit) -> tuple[Any, Any]:
    """The first example with a slider, and the slider."""
    example = visit.page.locator(":is(.tabbed-block, .ob-example):has(.ob-slider)").first
    return example, example.get_by_role("slider")


@pytest.mark.parametrize("visit", VIEWS[:2], indirect=True)
def test_a_slider_shows_what_each_value_gives(visit: Visit) -> None:
    visit.open("builtins/softmax/")
    example, handle = slider(visit)
    temperatures = [0.1, 0.25, 0.5, 1, 2, 4, 10]
    assert handle.input_value() == "3"
    for place in (6, 0, 2, 3):
        handle.fill(str(place))
        weights = softmax(np.array([1, 2, 3, 2.5]) / temperatures[place]).round(3)
        output = example.locator(".language-output code").inner_text()
        assert numbers(output.strip().strip("[]").split(", ")) == weights.tolist()
        drawn = example.locator(".ob-figure > svg").filter(visible=True)
        assert [numbers([text])[0] for text in drawn.locator("text").all_text_contents()[1::2]] == weights.tolist()
        assert f"temperature = {temperatures[place]:g}\n" in example.locator("pre > code").first.inner_text()
        api.expect(example.get_by_role("slider", name="temperature")).to_have_attribute(
            "aria-valuetext", f"{temperatures[place]:g}"
        )
    visit.assert_quiet()


def test_a_slider_needs_no_mouse_and_is_heard(visit: Visit) -> None:
    visit.open("builtins/layer_norm/")
    example, handle = slider(visit)
    t, eps = np.linspace(0, 6, 25), [0, 1e-5, 1e-4, 1e-3, 0.1, 10]
    handle.focus()
    for key, place in (("ArrowRight", 2), ("End", 5), ("ArrowLeft", 4), ("Home", 0)):
        visit.page.keyboard.press(key)
        flat, wide = (
            layer_norm(row, np.ones(25), np.zeros(25), eps=eps[place]).max().round(3)
            for row in (0.01 * np.cos(2 * t), np.cos(t))
        )
        words = f"flat up to {flat:g}, wide up to {wide:g}"
        assert example.locator(".language-output code").inner_text().strip() == words
        assert example.locator("[role=status]").first.inner_text().startswith(f"{words} 2 lines. flat: 25 points")
    visit.assert_quiet()


def test_without_scripts_everything_is_there_to_be_read(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + ATTENTION)
    pictures = page.locator("svg[data-cells]")
    assert pictures.count() == 4, "two pictures, in two languages"
    assert page.locator(".ob-board, .ob-said, .ob-marker").count() == 0
    causal = page.locator("desc", has_text="the: 1, 0, 0, 0; cat: 0.056, 0.944, 0, 0")
    assert causal.count() == 2
    page.goto(address + "builtins/softmax/")
    frames = page.locator(".ob-frames").first.locator(".ob-frame")
    assert frames.count() == 7
    for frame, temperature in zip(frames.all(), [0.1, 0.25, 0.5, 1, 2, 4, 10], strict=True):
        api.expect(frame.get_by_text(f"temperature = {temperature:g}", exact=True)).to_be_visible()
        api.expect(frame.locator(".ob-printed")).to_be_visible()
        api.expect(frame.locator("svg")).to_be_visible()
    context.close()


@pytest.mark.parametrize("visit", VIEWS, indirect=True)
def test_axe_finds_nothing_in_pictures_that_are_used(attention: Visit) -> None:
    figure, board = pointed(attention), switched(attention)
    figure.locator("svg").hover(position=middle(figure, 1, 1))
    board.locator(".ob-switches button").nth(1).click()
    assert_no_violations(attention, ".ob-figure")
    attention.open("builtins/layer_norm/")
    slider(attention)[1].press("ArrowRight")
    assert_no_violations(attention, ".ob-frames")


def assert_no_violations(visit: Visit, part: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="what axe finds needs axe-playwright-python")
    visit.page.evaluate(importlib.resources.files(axe).joinpath("axe.min.js").read_text("utf-8"))
    result = visit.page.evaluate("part => axe.run(part, {resultTypes: ['violations']})", part)
    found = [f"{one['id']}: {node['html'][:160]}" for one in result["violations"] for node in one["nodes"]]
    assert found == []
    width, room = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= room


def test_pictures_of_the_next_page_can_be_touched_too(visit: Visit) -> None:
    visit.open("")
    visit.page.evaluate("window.stays = true")
    visit.page.get_by_role("link", name="The page of attention").click()
    api.expect(visit.page.locator("h1")).to_contain_text("scaled_dot_product_attention")
    api.expect(visit.page.locator(".ob-switches")).to_have_count(2)
    assert visit.page.evaluate("window.stays"), "the page was not loaded anew"
    visit.assert_quiet()

"""The live tape: what its script computes is what Python does, and what a reader can do with it."""

import contextlib
import functools
import importlib.resources
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from site_projects import Project, Visit, instant

import opbook.pages
from opbook import vjp
from opbook.autodiff import tree
from opbook.pages.tape import Trace, as_data, trace
from opbook.pages.tape.program import ENTRYWISE, name_of
from opbook.plugins.catalogue import catalogue

pytestmark = pytest.mark.browser

LIVE = {
    *(
        "layer_norm",
        "rms_norm",
        "softmax",
        "log_softmax",
        "logsumexp",
        "cross_entropy",
        "mse_loss",
        "cosine_similarity",
    ),
    *(
        "scaled_dot_product_attention",
        "attention_weights",
        "grouped_query_attention",
        "transformer_block",
        "rope",
        "linear",
        "swiglu",
    ),
    *(
        "relu",
        "silu",
        "sigmoid",
        "tanh",
        "norm",
        "conv2d",
        "rnn_forward",
        "cumsum",
        "abs",
        "maximum",
        "max",
        "sum",
        "mean",
    ),
}
"""Builtins whose numbers a reader can change; there are more."""

INPUTS = 4

COMPUTE = """
async ([address, cases]) => {
  const { goDown, goBack } = await import(address);
  return cases.map(({ nodes, given, seeds }) => {
    const values = goDown(nodes, given);
    return { values, gradients: goBack(nodes, values, seeds) };
  });
}
"""


@pytest.fixture
def compute(page: Any, serving: Callable[[Path], str]) -> Callable[[Any], Any]:
    """Has the script compute programs."""
    address = serving(Path(opbook.pages.__file__).parent / "assets") + "tape/compute.js"
    page.goto(address)
    return lambda cases: page.evaluate(COMPUTE, [address, cases])


WIDEST = """
() => {
  const stepper = document.querySelector(".ob-live input[type=range]");
  const widths = Array.from({ length: Number(stepper.max) }, (_, i) => {
    stepper.value = i + 1;
    stepper.dispatchEvent(new Event("input"));
    return document.documentElement.scrollWidth;
  });
  return Math.max(...widths);
}
"""
"""How wide the page is at most, with each of the steps."""


@functools.cache
def live() -> list[tuple[str, Trace, dict[str, Any]]]:
    """The tapes that can be computed again, each with its data."""
    catalogue().load_samples()
    traces = [(name, op, trace(op)) for name, op in catalogue().items()]
    told = [(name, found, json.loads(as_data(found, op))) for name, op, found in traces if found]
    return [(name, found, data) for name, found, data in told if "nodes" in data]


def is_number(leaf: Any) -> bool:
    return isinstance(leaf, float | np.ndarray) and np.asarray(leaf).dtype.kind == "f"


def random_case(found: Trace, data: dict[str, Any], number: int) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments with random numbers, some of them equal, and the same for the script."""
    rng = np.random.default_rng(number)
    inputs = {box["name"]: box["node"] for box in data["boxes"] if "given" in box}
    given = {}

    def other(leaf: Any, path: str) -> Any:
        if path not in inputs:
            return leaf
        numbers = 1.5 * rng.normal(size=np.shape(leaf))
        numbers = np.round(numbers) if number == 0 else numbers
        given[inputs[path]] = np.ravel(numbers).tolist()
        return numbers if np.ndim(leaf) else float(numbers)

    args = []
    for param, argument in zip(found.call.shape.params, found.call.positional, strict=False):
        paths = tree.paths(argument, param.name)
        others = [other(leaf, path) for leaf, path in zip(tree.leaves(argument), paths, strict=True)]
        args.append(tree.unflatten(argument, others))
    assert len(given) == len(inputs)
    seeds = {node: rng.normal(size=size).tolist() for node, size in results(found, data)}
    return args, {"nodes": data["nodes"], "given": given, "seeds": seeds}


def results(found: Trace, data: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """The nodes of the arrays that the builtin returns, in their order, each with its size."""
    pairs = [
        (step.value, box["node"]) for step, box in zip(found.as_written(), data["boxes"], strict=True) if step.is_result
    ]
    for leaf in filter(is_number, tree.leaves(found.call.apply())):
        (node,) = (node for value, node in pairs if np.shape(value) == np.shape(leaf) and np.allclose(value, leaf))
        yield node, np.size(leaf)


def test_the_script_knows_the_functions_that_it_is_said_to_know(page: Any, serving: Callable[[Path], str]) -> None:
    address = serving(Path(opbook.pages.__file__).parent / "assets") + "tape/functions.js"
    page.goto(address)
    known = page.evaluate("async (address) => Object.keys((await import(address)).ENTRYWISE)", address)
    assert set(known) == {name_of(function) for function in ENTRYWISE}


def test_the_script_begins_with_the_numbers_of_the_picture(compute: Callable[[Any], Any]) -> None:
    tapes = [(name, found.as_written(), data) for name, found, data in live()]
    computed = compute(
        [
            {
                "nodes": data["nodes"],
                "given": {box["node"]: box["given"] for box in data["boxes"] if "given" in box},
                "seeds": {box["node"]: box["seed"] for box in data["boxes"] if "seed" in box},
            }
            for _, _, data in tapes
        ]
    )
    for (name, steps, data), ours in zip(tapes, computed, strict=True):
        for step, box in zip(steps, data["boxes"], strict=True):
            for mine, drawn in (("values", step.value), ("gradients", step.cotangent)):
                got = ours[mine][box["node"]]
                np.testing.assert_allclose(got, np.ravel(drawn), rtol=1e-9, atol=1e-9, err_msg=f"{name}, {step.title}")


def test_the_script_computes_what_python_does(compute: Callable[[Any], Any]) -> None:
    cases = [(name, data, *random_case(found, data, i), found) for name, found, data in live() for i in range(INPUTS)]
    assert {name for name, *_ in cases} >= LIVE
    computed = compute([case for _, _, _, case, _ in cases])
    for (name, data, args, case, found), ours in zip(cases, computed, strict=True):
        value, pullback = vjp(catalogue()[name], *args, **found.call.keywords)
        seeds = iter(case["seeds"].values())
        seed = tree.map(
            lambda leaf, seeds=seeds: np.reshape(next(seeds), np.shape(leaf))[()] if is_number(leaf) else None, value
        )
        paths = [path for p, x in zip(found.call.shape.params, args, strict=False) for path in tree.paths(x, p.name)]
        pulled = dict(zip(paths, tree.leaves(list(pullback(seed))), strict=True))
        gradients = [pulled[box["name"]] for box in data["boxes"] if "given" in box]
        values = [ours["values"][node] for node in case["seeds"]]
        told = [ours["gradients"][box["node"]] for box in data["boxes"] if "given" in box]
        for what, expected, got in (
            ("value", filter(is_number, tree.leaves(value)), values),
            ("gradient", gradients, told),
        ):
            for right, mine in zip(expected, got, strict=True):
                np.testing.assert_allclose(mine, np.ravel(right), rtol=1e-9, atol=1e-9, err_msg=f"{name}, {what}")


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, serving: Callable[[Path], str]) -> str:
    """Where a site of a few builtins is served."""
    folder = tmp_path_factory.mktemp("tapes")
    project = Project(folder, folder / "site")
    address = serving(project.site)
    only = "layer_norm, softmax, embedding, group_norm, llama_block, sgd_step"
    project.write("mkdocs.yml", instant("Tapes", address, f"verify: false, only: [{only}]"))
    project.write("docs/index.md", "# Tapes\n")
    built = project.build()
    assert built.returncode == 0, built.stderr
    return address


def opened(new_page: Any, address: str, name: str) -> Visit:
    visit = Visit(new_page, address)
    visit.open(f"builtins/{name}/")
    visit.page.locator("#tape > summary").click()
    visit.page.locator(".ob-live").wait_for()
    return visit


def stepper(page: Any) -> Any:
    return page.get_by_role("slider", name="Step of the tape")


def numbers(page: Any, label: str) -> list[float]:
    """The numbers of a grid, as they are read out."""
    text = page.get_by_role("img", name=f"{label}: ", exact=False).first.get_attribute("aria-label")
    return [float(part) for part in text.partition("[")[2].rstrip("]").replace("\u2212", "-").split(", ")]


def test_values_and_gradients_follow_a_number(page: Any, pages: str) -> None:
    visit = opened(page, pages, "layer_norm")
    boxes = page.locator(".ob-tape-picture")
    drawn = boxes.inner_html()
    fields = [page.get_by_label(f"{name}, value, entry", exact=False).all() for name in ("x", "gamma", "beta")]
    cotangent = [float(field.input_value()) for field in page.get_by_label("result, cotangent, entry").all()]
    first = fields[0][0]
    before = float(first.input_value())
    first.focus()
    for _ in range(7):
        page.keyboard.press("ArrowUp")
    assert float(first.input_value()) == pytest.approx(before + 0.7)
    args = [np.array([float(field.input_value()) for field in row]) for row in fields]
    value, pullback = vjp(catalogue()["layer_norm"], *args)
    np.testing.assert_allclose(numbers(page, "result, value"), value, atol=0.006)
    for name, gradient in zip(("x", "gamma", "beta"), pullback(np.array(cotangent)), strict=True):
        np.testing.assert_allclose(numbers(page, f"{name}, gradient"), gradient, atol=0.006)
    assert boxes.inner_html() != drawn
    assert page.locator(".ob-live-status").inner_text().startswith("result [")
    page.get_by_role("button", name="Reset").click()
    assert float(first.input_value()) == before
    visit.assert_quiet()


@pytest.mark.parametrize("typed", ["", "abc", "-", "--3"])
def test_a_field_without_a_number_gets_its_last_one_back(page: Any, pages: str, typed: str) -> None:
    visit = opened(page, pages, "softmax")
    field = page.get_by_label("x, value, entry 1")
    field.fill("2.25")
    gradient = numbers(page, "x, gradient")
    field.click()
    page.keyboard.press("Delete")
    page.keyboard.type(typed)
    assert field.input_value() == ""
    page.keyboard.press("Tab")
    assert field.input_value() == "2.25"
    assert field.evaluate("field => field.validity.valid"), "two decimals are as good as one"
    assert numbers(page, "x, gradient") == gradient
    visit.assert_quiet()


WIDER_THAN_THEIR_CELLS = """
    all => all.filter((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getBoundingClientRect().width > cell.getBoundingClientRect().width;
    }).map((cell) => cell.textContent)
"""


def test_numbers_fit_their_cells_on_a_phone(page: Any, pages: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    opened(page, pages, "layer_norm")
    page.get_by_label("gamma, value, entry 1").fill("-0.00002")
    for entry in (2, 3):
        page.get_by_label(f"gamma, value, entry {entry}").fill("0")
    cells = page.locator("span.ob-live-cell")
    assert any(len(text) == len("-2.6e-6") and text.startswith("\u2212") for text in cells.all_inner_texts())
    assert cells.evaluate_all(WIDER_THAN_THEIR_CELLS) == []


def test_what_is_0_has_no_colour(page: Any, pages: str) -> None:
    """What is left where numbers cancel is shown as 0, however large it is beside others of its kind."""
    opened(page, pages, "layer_norm")
    cells = page.locator(".ob-live-details .ob-live-cell")
    step = stepper(page)
    for number in range(1, int(step.get_attribute("max")) + 1):
        step.fill(str(number))
        parts = cells.evaluate_all(
            "all => all.filter((one) => one.textContent === '0').map((one) => one.style.getPropertyValue('--ob-part'))"
        )
        assert set(parts) <= {"0%"}


def test_a_number_is_dragged(page: Any, pages: str) -> None:
    opened(page, pages, "softmax")
    field = page.get_by_label("x, value, entry 1")
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    before, gradient = float(field.input_value()), numbers(page, "x, gradient")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 200, y)
    page.mouse.move(x + 61, y)
    page.mouse.up()
    assert float(field.input_value()) == pytest.approx(before + 1)
    assert numbers(page, "x, gradient") != gradient
    page.keyboard.press("ArrowRight")
    assert stepper(page).input_value() == "2"
    field.click()
    page.keyboard.type("-2.5")
    page.keyboard.press("ArrowLeft")
    assert field.input_value() == "-2.5"
    assert stepper(page).input_value() == "2", "arrows move the cursor in what is typed"
    assert numbers(page, "result, value")[0] < 0.5


def test_the_cotangent_of_a_result_that_is_used_again_is_the_one_that_was_chosen(page: Any, pages: str) -> None:
    """The velocity of a step of SGD is a result, and its parameters are computed with it."""
    opened(page, pages, "sgd_step")
    found = trace(catalogue()["sgd_step"])
    assert found is not None
    seeds = [found.seeds[step.place] for step in found.as_written() if step.is_result]
    fields = [float(field.input_value()) for field in page.get_by_label(", cotangent, entry", exact=False).all()]
    assert fields == [number for seed in seeds for number in np.ravel(seed).tolist()]


def test_arrow_keys_light_a_step_its_line_and_its_box(page: Any, pages: str) -> None:
    opened(page, pages, "layer_norm")
    step = stepper(page)
    step.focus()
    seen = []
    for _ in range(11):
        line = page.locator(".ob-live-lit").inner_text().strip()
        seen.append((step.get_attribute("aria-valuetext"), line, page.locator(".ob-tape-picture .ob-tape-lit").count()))
        page.keyboard.press("ArrowRight")
    assert len(set(seen)) == 11
    told = next(text for text, *_ in seen if "variance = " in text)
    assert ": variance = (centred**2).mean(axis=-1, keepdims=True) \u2192 [" in told
    assert "; incoming [" in told
    assert "; to centred**2: local derivative [0.333, 0.333, 0.333], gradient [" in told
    assert all(("variance = " not in text) or line.startswith("variance =") for text, line, _ in seen)
    assert {count for *_, count in seen} == {1}
    page.get_by_role("button", name="Back").click()
    page.keyboard.press("ArrowLeft")
    assert step.input_value() == "9"


def test_a_step_in_a_function_that_the_definition_calls_lights_a_line_there_too(page: Any, pages: str) -> None:
    opened(page, pages, "softmax")
    stepper(page).fill("3")
    lit = [line.strip() for line in page.locator(".ob-live-lit").all_inner_texts()]
    assert lit == [
        'e = np.exp(_below_zero(x, axis, "softmax"))',
        "return x - np.where(largest == -np.inf, 0.0, largest)",
    ]


def test_numbers_that_decide_on_the_steps_stay(page: Any, pages: str) -> None:
    opened(page, pages, "embedding")
    assert page.locator(".ob-live input[type=number]").count() == 0
    page.get_by_role("button", name="Forward").click()
    assert stepper(page).get_attribute("aria-valuetext").startswith("step 2 of 2: ")


def test_without_scripts_there_is_the_picture(browser: Any, pages: str) -> None:
    with contextlib.closing(browser.new_context(java_script_enabled=False)) as context:
        page = context.new_page()
        page.goto(f"{pages}builtins/layer_norm/")
        page.locator("#tape > summary").click()
        assert page.locator(".ob-tape-picture").is_visible()
        assert page.locator(".ob-live").count() == 0


def test_a_tape_is_live_after_a_page_was_opened_from_another(page: Any, pages: str) -> None:
    opened(page, pages, "layer_norm")
    page.evaluate("window.isSame = true")
    page.get_by_role("link", name="softmax", exact=True).locator("visible=true").first.click()
    page.get_by_role("heading", name="softmax", level=1).wait_for()
    page.locator("#tape > summary").click()
    assert page.evaluate("window.isSame"), "the theme has replaced the content only"
    page.locator(".ob-live").wait_for()  # it is loaded when the tape is opened
    assert page.get_by_label("x, value, entry 1").is_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")])
def test_axe_finds_nothing_in_a_live_tape(browser: Any, pages: str, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="what axe finds needs axe-playwright-python")
    script = importlib.resources.files(axe).joinpath("axe.min.js").read_text("utf-8")
    with contextlib.closing(
        browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    ) as context:
        page = context.new_page()
        for name in ("layer_norm", "softmax", "embedding", "group_norm", "llama_block"):
            opened(page, pages, name)
            page.get_by_role("button", name="Forward").click()
            page.evaluate(script)
            result = page.evaluate("axe.run(document.querySelector('#tape'), {resultTypes: ['violations']})")
            found = [(one["id"], node["html"][:160]) for one in result["violations"] for node in one["nodes"]]
            assert not found, name
            assert page.evaluate(WIDEST) <= width, name

"""The tape of a small example: what is traced, where boxes go, what is drawn."""

import html
import itertools
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from opbook import Array, builtin, vjp
from opbook.pages.plain import readable
from opbook.pages.source import code_of
from opbook.pages.tape import as_data, as_list, draw, trace
from opbook.pages.tape.drawing import describe
from opbook.pages.tape.layout import GAP, arrange
from opbook.pages.tape.values import number
from opbook.plugins.catalogue import Catalogue, catalogue, load

Write = Callable[[str, str], Path]


def one_op(write: Write, code: str) -> Catalogue:
    head = "import numpy as np\nfrom typing import Any\nfrom opbook import Array, builtin, hookimpl\n\n"
    foot = "\n\n@hookimpl\ndef opbook_builtins():\n    return [op]\n"
    return load([write("one_op.py", head + textwrap.dedent(code) + foot)])


def test_values_and_cotangents_are_those_of_the_tape(ops: Catalogue) -> None:
    found = trace(ops["pick"])
    assert found is not None
    # head.wq is doubled, summed, and halved again
    assert [step.function for step in found.steps] == ["", "np.multiply", "np.sum", "np.divide"]
    given, doubled, total, halved = found.steps
    assert np.array_equal(doubled.value, 2 * given.value)
    assert halved.value == pytest.approx(given.value.sum())
    assert halved.is_result
    assert halved.cotangent == 1, "a number's cotangent is 1"
    assert total.cotangent == 0.5
    assert np.array_equal(given.cotangent, np.ones_like(given.value))


def test_the_gradients_are_those_of_vjp() -> None:
    op = catalogue()["layer_norm"]
    found = trace(op)
    assert found is not None
    inputs = {step.name: step for step in found.steps if step.is_input}
    (result,) = (step for step in found.steps if step.is_result)
    value, pullback = vjp(op, *(inputs[name].value for name in ("x", "gamma", "beta")))
    np.testing.assert_allclose(result.value, value, rtol=1e-12)
    for name, gradient in zip(("x", "gamma", "beta"), pullback(result.cotangent), strict=True):
        np.testing.assert_allclose(inputs[name].cotangent, gradient, rtol=1e-9, atol=1e-12)


def test_numbers_of_the_example_have_one_decimal() -> None:
    for name in ("layer_norm", "softmax"):
        found = trace(catalogue()[name])
        assert found is not None
        for step in found.steps:
            if step.is_input:
                assert np.array_equal(step.value, np.round(step.value, 1))


def test_steps_have_the_names_and_the_lines_that_the_page_shows() -> None:
    op = catalogue()["layer_norm"]
    found = trace(op)
    assert found is not None
    steps = [step for step in found.as_written() if not step.is_input]
    shown = code_of(op.definition).splitlines()
    for step in steps:
        assert step.line is not None
        assert step.code in shown[step.line - 1], "each expression stands in the line that it is said to stand in"
        if step.name and not step.is_result:
            assert shown[step.line - 1].strip() == f"{step.name} = {step.code}"
    names = [step.name for step in steps if step.name]
    assert names == ["shifted", "centred", "variance", "result"]
    assert [step.code for step in steps if not step.name] == [
        *("x[..., :1]", "shifted.mean(axis=-1, keepdims=True)", "centred**2", "gamma * centred", "variance + eps"),
        *("np.sqrt(variance + eps)", "gamma * centred / np.sqrt(variance + eps)"),
    ]


def test_what_one_expression_computes_in_several_steps_is_one_box() -> None:
    found = trace(catalogue()["layer_norm"])
    assert found is not None
    inner = [step for step in found.steps if step.is_inner]
    assert [step.function for step in inner] == ["np.sum", "np.sum"], "on the way to the two means"
    steps = found.as_written()
    assert len(steps) == len(found.steps) - len(inner)
    mean = next(step for step in steps if step.code.startswith("shifted.mean"))
    assert [steps[parent].name for parent in mean.parents] == ["shifted"]
    np.testing.assert_allclose(mean.value, steps[mean.parents[0]].value.mean(axis=-1, keepdims=True))


def test_each_time_round_a_loop_is_a_box_of_its_own(write: Write) -> None:
    loaded = one_op(
        write,
        """
        @builtin(category="A")
        def op(x: Array["N"], y: Array["N"]) -> Array["N"]:
            "Adds often."
            kept = [y * 2, y * 3]
            for one in kept:
                x = add(x, one)
            return x

        def add(a, b):
            return (
                a
                + b
            )
        """,
    )
    found = trace(loaded["op"])
    assert found is not None
    steps = [(step.name, step.code, step.within, step.line) for step in found.as_written() if not step.is_input]
    assert steps == [
        *(("kept[0]", "y * 2", "", 2), ("kept[1]", "y * 3", "", 2)),
        *(("x", "a + b", "add", 4), ("result", "a + b", "add", 4)),
    ]


def test_attention_is_shown_with_two_heads() -> None:
    loaded = catalogue()
    loaded.load_samples()
    for name in ("multi_head_attention", "cross_attention", "multi_head_weights"):
        found = trace(loaded[name])
        assert found is not None
        inputs = [step.name for step in found.steps if step.is_input]
        assert {"heads[0].wq", "heads[1].wq"} < set(inputs)
        assert "heads[2].wq" not in inputs
        assert [step.name for step in found.steps].count("q") == 2


def test_builtins_are_written_out_unless_there_would_be_too_many_steps() -> None:
    short, long = trace(catalogue()["scaled_dot_product_attention"]), trace(catalogue()["transformer_block"])
    assert short is not None
    assert long is not None
    assert (short.has_builtins, short.length) == (False, short.computed)
    assert [s.function for s in long.as_written() if s.is_builtin].count("layer_norm") == 2
    assert long.computed <= 25 < long.length
    assert not long.is_whole


def test_a_definition_of_many_steps_is_drawn_as_its_result(write: Write) -> None:
    loaded = one_op(
        write,
        """
        @builtin(category="A")
        def op(x: Array["N"]) -> Array["N"]:
            "Adds often."
            for _ in range(30):
                x = x + 1
            return x

        @op.defvjp
        def _(x):
            return x + 30, lambda g: (g,)
        """,
    )
    found = trace(loaded["op"])
    assert found is not None
    assert ([step.function for step in found.as_written()], found.length, found.is_whole) == (["", "op"], 30, True)


@pytest.mark.parametrize(
    "body",
    ["return np.zeros(3)", "return np.asarray(np.asarray(x).tolist())", "return np.floor(x)"],
)
def test_there_is_no_trace_of_what_has_no_gradient(write: Write, body: str) -> None:
    loaded = one_op(write, f'@builtin(category="A")\ndef op(x: Array["N"]) -> Array["N"]:\n    "Does."\n    {body}\n')
    assert trace(loaded["op"]) is None


def test_a_step_of_several_arrays_stands_as_those_that_are_used() -> None:
    @builtin(category="Tests")
    def op(x: Array["N N"]) -> Array["N"]:
        """Uses one of them."""
        _, vectors = np.linalg.eigh(x)
        return vectors.sum(axis=0)

    found = trace(op)
    assert found is not None
    told = [(step.name, step.code, step.parents, step.value.ndim) for step in found.as_written()[:2]]
    assert told == [("x", "", (), 2), ("vectors", "np.linalg.eigh(x).eigenvectors", (0,), 2)]


def test_a_builtin_of_several_arrays_stands_as_those_that_are_used() -> None:
    @builtin(category="Tests")
    def split(x: Array["N D"]) -> tuple[Array["N"], Array["N D"], Array["N"]]:
        """Means, what is left without them, and the greatest."""
        mean = x.mean(axis=1)
        return mean, x - mean[:, None], x.max(axis=1)

    @builtin(category="Tests")
    def total(x: Array["N D"]) -> Array["N"]:
        """Uses two of them, in more steps than a picture has."""
        mean, rest, _ = split(x)
        for _ in range(21):
            mean = mean + 0.0
        return mean * rest[:, 0]

    found = trace(total)
    assert found is not None
    told = [(step.name, step.code, step.parents, step.value.ndim) for step in found.as_written()[:3]]
    assert told == [("x", "", (), 2), ("mean", "split(x)", (0,), 1), ("rest", "split(x)", (0, 1), 2)]


def test_steps_that_the_result_does_not_depend_on_are_left_out(write: Write) -> None:
    body = "unused = np.exp(x)\n    return x + y"
    head = '@builtin(category="A")\ndef op(x: Array["N"], y: Array["N"], z: Array["N"]) -> Array["N"]:\n    "Does."\n'
    found = trace(one_op(write, f"{head}    {body}\n")["op"])
    assert found is not None
    assert [step.title for step in found.steps] == ["x", "y", "result"]


GRAPHS = {
    "a chain": [(), (0,), (1,), (2,)],
    "a diamond": [(), (0,), (0,), (1, 2)],
    "one value used far below": [(), (0,), (1,), (2,), (0, 3)],
    "many inputs": [(), (), (), (0, 1), (2, 3), (0, 4)],
    "the same twice": [(), (0, 0)],
}


@pytest.mark.parametrize("parents", GRAPHS.values(), ids=list(GRAPHS))
def test_no_two_boxes_overlap_and_lines_lead_down(parents: list[tuple[int, ...]]) -> None:
    layout = arrange(parents, [(60.0 + 10 * i, 40.0) for i in range(len(parents))])
    for i, a in enumerate(layout.boxes):
        assert a.x >= 0
        assert a.x + a.width <= layout.width + 1e-6
        for b in layout.boxes[:i]:
            apart = max(b.x - a.x - a.width, a.x - b.x - b.width)
            assert a.y != b.y or apart >= GAP - 1e-6
    for child, above in enumerate(parents):
        assert all(layout.boxes[p].y + layout.boxes[p].height < layout.boxes[child].y for p in above)
    assert len(layout.lines) == sum(len(set(above)) for above in parents)
    for line in layout.lines:
        assert all(y0 <= y1 for (_, y0), (_, y1) in itertools.pairwise(line))


@pytest.mark.parametrize("parents", GRAPHS.values(), ids=list(GRAPHS))
def test_no_line_runs_through_a_box(parents: list[tuple[int, ...]]) -> None:
    layout = arrange(parents, [(80.0, 40.0)] * len(parents))
    for line in layout.lines:
        for (x0, y0), (x1, y1) in itertools.pairwise(line):
            for box in layout.boxes:
                if y0 >= box.y and y1 <= box.y + box.height and y1 > y0:  # it passes the box's row
                    assert x0 == x1
                    assert not box.x < x0 < box.x + box.width


def test_operands_stand_in_the_order_in_which_they_are_written() -> None:
    # (2 / 0) + 1, where 0, 1 and 2 are inputs
    layout = arrange([(), (), (), (2, 0), (3, 1)], [(60.0, 40.0)] * 5)
    x = [box.x for box in layout.boxes]
    assert x[2] < x[0]
    assert x[3] < x[1]


def test_a_chain_beside_a_line_that_passes_it_stays_upright() -> None:
    # each step needs its own input and that of the step before: layers with a residual
    parents: list[tuple[int, ...]] = [()]
    for _ in range(8):
        parents += [(len(parents) - 1,), (len(parents) - 1, len(parents))]
    layout = arrange(parents, [(80.0, 40.0)] * len(parents))
    assert layout.width < 3 * 80


def test_the_picture_is_well_formed_named_and_the_same_every_time() -> None:
    found = trace(catalogue()["transformer_block"])
    assert found is not None
    picture = draw(found, "transformer_block")
    again = trace(catalogue()["transformer_block"])
    assert again is not None
    assert picture == draw(again, "transformer_block")
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert root.get("aria-labelledby") == " ".join(str(i) for i in ids)
    assert len(set(ids)) == len(ids) == 2
    assert "\n\n" not in picture, "an empty line would end the HTML block"
    text = "".join(root.itertext())
    assert all(name in text for name in ("multi_head_attention", "weights.w1", "relu", "(2, 3)", "↑", "↓"))
    colours = re.findall(r'(?:fill|stroke)="([^"]+)"', picture)
    assert set(colours) <= {"none", "currentColor"}


def test_the_description_says_what_is_computed(ops: Catalogue) -> None:
    found = trace(ops["pick"])
    assert found is not None
    shape = found.steps[0].value.shape
    assert describe(found) == (
        f"Inputs: head.wq, of shape {shape}. Step 1: x * 2.0**times in double, of shape {shape}. "
        'Step 2: np.sum(double(head["wq"])), a number. '
        'Step 3: result = np.sum(double(head["wq"])) / 2, a number.'
    )


def test_the_list_says_what_the_picture_says() -> None:
    found = trace(catalogue()["layer_norm"])
    assert found is not None
    root = ElementTree.fromstring(as_list(found))
    items = [[(part.get("class"), "".join(part.itertext())) for part in item] for item in root]
    assert [dict(item)["ob-tape-name"] for item in items] == [step.title for step in found.as_written()]
    variance = next(dict(item) for item in items if dict(item)["ob-tape-name"] == "variance")
    assert variance["ob-tape-note"] == "(centred**2).mean(axis=-1, keepdims=True)"
    assert variance["ob-tape-shape"] == "(1,)"
    picture = "".join(ElementTree.fromstring(draw(found, "layer_norm")).itertext())
    for item in items:
        for kind, mark in (("value", "↓ "), ("cotangent", "↑ ")):
            assert dict(item)[f"ob-tape-{kind}"].removeprefix(mark) in picture


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.0, "0"), (-0.0, "0"), (1e-17, "0"), (1.0, "1"), (-0.25, "−0.25"), (0.126, "0.13"), (0.0012, "1e−3")),
        *((123.456, "123.46"), (1234.5, "1234"), (1e30, "1e30"), (float("inf"), "inf"), (float("nan"), "nan")),
    ],
)
def test_numbers_are_short_and_noise_is_zero(value: float, text: str) -> None:
    assert number(value) == text


def test_a_part_without_entries_is_drawn_as_one(write: Write) -> None:
    code = """
        @builtin(category="Test")
        def op(x: Array["N D"]) -> Array["N D"]:
            "Doubles."
            return np.concatenate([2 * x, x[:, :0]], axis=-1)
        """
    found = trace(one_op(write, code)["op"])
    assert found is not None
    assert "no entries" in draw(found, "op")


def test_programs_read_a_tape_once_and_in_words() -> None:
    found = trace(catalogue()["layer_norm"])
    assert found is not None
    data = f'<div class="ob-tape" data-tape="{html.escape(as_data(found, catalogue()["layer_norm"]))}">'
    text = readable(f"{data}\n{draw(found, 'layer_norm')}\n{as_list(found)}\n</div>\n")
    assert text == f"(Picture: {describe(found)})\n"

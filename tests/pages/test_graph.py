"""The tape of a small example: what is traced, where boxes go, what is drawn."""

import itertools
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from opbook import Array, builtin, vjp
from opbook.pages.tape import draw, trace
from opbook.pages.tape.drawing import describe, number
from opbook.pages.tape.layout import GAP, arrange
from opbook.plugins.catalogue import Catalogue, catalogue, load

Write = Callable[[str, str], Path]


def one_op(write: Write, code: str) -> Catalogue:
    head = "import numpy as np\nfrom typing import Any\nfrom opbook import Array, builtin, hookimpl\n\n"
    foot = "\n\n@hookimpl\ndef opbook_builtins():\n    return [op]\n"
    return load([write("one_op.py", head + textwrap.dedent(code) + foot)])


def test_values_and_cotangents_are_those_of_the_tape(ops: Catalogue) -> None:
    found = trace(ops["pick"])
    assert found is not None
    by_name = {step.name: step for step in found.steps}
    # head.wq is doubled, summed, and halved again
    assert [step.name for step in found.steps] == ["head.wq", "np.multiply", "np.sum", "np.divide"]
    entries = by_name["head.wq"].value
    assert np.array_equal(by_name["np.multiply"].value, 2 * entries)
    assert by_name["np.divide"].value == pytest.approx(entries.sum())
    assert by_name["np.divide"].is_result
    assert by_name["np.divide"].cotangent == 1, "a number's cotangent is 1"
    assert by_name["np.sum"].cotangent == 0.5
    assert np.array_equal(by_name["head.wq"].cotangent, np.ones_like(entries))


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


def test_builtins_are_written_out_unless_there_would_be_too_many_steps() -> None:
    short, long = trace(catalogue()["scaled_dot_product_attention"]), trace(catalogue()["transformer_block"])
    assert short is not None
    assert long is not None
    assert (short.has_builtins, short.length) == (False, short.computed)
    assert [s.name for s in long.steps if s.is_builtin].count("layer_norm") == 2
    assert long.computed <= 25 < long.length
    assert not long.is_rule


def test_a_definition_of_many_steps_is_drawn_as_its_rule(write: Write) -> None:
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
    assert ([step.name for step in found.steps], found.length, found.is_rule) == (["x", "op"], 30, True)


@pytest.mark.parametrize(
    "body",
    ["return np.zeros(3)", "return np.asarray(np.asarray(x).tolist())", "return np.floor(x)"],
)
def test_there_is_no_trace_of_what_has_no_gradient(write: Write, body: str) -> None:
    loaded = one_op(write, f'@builtin(category="A")\ndef op(x: Array["N"]) -> Array["N"]:\n    "Does."\n    {body}\n')
    assert trace(loaded["op"]) is None


def test_a_step_of_several_arrays_stands_as_those_that_are_used() -> None:
    @builtin(category="Tests")
    def split(x: Array["N D"]) -> tuple[Array["N"], Array["N D"], Array["N"]]:
        """Means, what is left without them, and the greatest."""
        mean = x.mean(axis=1)
        return mean, x - mean[:, None], x.max(axis=1)

    @split.defvjp
    def _(x):  # type: ignore[no-untyped-def]
        return split.definition(x), lambda g: (g[0][:, None] / x.shape[1] + g[1] - g[1].mean(axis=1)[:, None],)

    @builtin(category="Tests")
    def total(x: Array["N D"]) -> Array["N"]:
        """Uses two of them, in more steps than a picture has."""
        mean, rest, _ = split(x)
        for _ in range(24):
            mean = mean + 0.0
        return mean * rest[:, 0]

    found = trace(total)
    assert found is not None
    first = [(step.name, step.parents, step.value.ndim) for step in found.steps[:3]]
    assert first == [("x", (), 2), ("split[0]", (0,), 1), ("split[1]", (0,), 2)]


def test_steps_that_the_result_does_not_depend_on_are_left_out(write: Write) -> None:
    body = "unused = np.exp(x)\n    return x + y"
    head = '@builtin(category="A")\ndef op(x: Array["N"], y: Array["N"], z: Array["N"]) -> Array["N"]:\n    "Does."\n'
    found = trace(one_op(write, f"{head}    {body}\n")["op"])
    assert found is not None
    assert [step.name for step in found.steps] == ["x", "y", "np.add"]


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


def test_the_description_says_what_is_computed_of_what(ops: Catalogue) -> None:
    found = trace(ops["pick"])
    assert found is not None
    shape = found.steps[0].value.shape
    assert describe(found) == (
        f"Inputs: head.wq of shape {shape}. Step 1: np.multiply of head.wq, of shape {shape}. "
        "Step 2: np.sum of step 1, a number. Step 3, the result: np.divide of step 2, a number."
    )


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

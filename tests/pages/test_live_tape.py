"""The tape as data: when a reader may change numbers, and what the script in the page is told then."""

import json
from typing import Any

import numpy as np
import pytest

from opbook import Array, builtin, stop_gradient
from opbook.builtins.builtin import Builtin
from opbook.pages.tape import as_data, trace
from opbook.plugins.catalogue import catalogue


def data_of(op: Builtin) -> dict[str, Any]:
    found = trace(op)
    assert found is not None
    told: dict[str, Any] = json.loads(as_data(found, op))
    return told


def program(op: Builtin) -> list[str]:
    """The names of what is computed, without constants."""
    return [node["do"] for node in data_of(op)["nodes"] if "do" in node]


def test_boxes_are_those_of_the_picture_and_say_their_lines() -> None:
    found = trace(catalogue()["layer_norm"])
    assert found is not None
    boxes = json.loads(as_data(found, catalogue()["layer_norm"]))["boxes"]
    assert [box.get("name", "") for box in boxes] == [step.name for step in found.as_written()]
    (variance,) = (box for box in boxes if box.get("name") == "variance")
    assert (variance["code"], variance["line"]) == ("(centred**2).mean(axis=-1, keepdims=True)", 5)
    assert [boxes[i]["code"] for i in variance["parents"]] == ["centred**2"]


def test_conditions_are_computed_again() -> None:
    @builtin(category="Tests")
    def op(x: Array["N"]) -> Array["N"]:
        """Half of what is below 1."""
        small = (x < 1) & ~np.isnan(x)
        return np.where(small, 0.5, 1.0) * x

    assert program(op) == ["less", "isnan", "logical_not", "logical_and", "where", "multiply"]
    found = trace(op)
    assert found is not None
    assert [step.title for step in found.as_written()] == ["x", "result"], "conditions are no boxes"


def test_sums_shapes_and_indices_say_which_entry_goes_where() -> None:
    @builtin(category="Tests")
    def op(x: Array["N D"]) -> Array["D"]:
        """Sums columns in reverse, twice the first one."""
        return np.sum(x[:, ::-1], axis=0) + 0 * x[0]

    nodes = [node for node in data_of(op)["nodes"] if node.get("do") == "move"]
    assert nodes[0]["shape"] == [2, 3]
    assert dict(zip(nodes[0]["to"], nodes[0]["from"], strict=True)) == {0: 2, 1: 1, 2: 0, 3: 5, 4: 4, 5: 3}
    assert sorted(zip(nodes[1]["to"], nodes[1]["from"], strict=True)) == [
        (0, 0),
        (0, 3),
        (1, 1),
        (1, 4),
        (2, 2),
        (2, 5),
    ]


@pytest.mark.parametrize(
    "body",
    [
        lambda x: np.sort(x) * 2,
        lambda x: x[x > 0] * 2,
        lambda x: 2 * x if x[0] > 0 else 3 * x,
        lambda x: 2 * x if np.max(x) < 1e6 else 3 * x,
        lambda x: 3 * x if np.any(np.abs(x) > 10) else 2 * x,
        lambda x: x * float(stop_gradient(x)[0]),
        lambda x: np.arctan(x) + 1,
        lambda x: np.einsum("i,j->", x, x),
    ],
    ids=[
        *("order", "index", "branch", "rare branch", "branch on any", "constant"),
        *("a function that the script does not know", "sums that are multiplied"),
    ],
)
def test_numbers_stay_where_the_steps_depend_on_them(body: Any) -> None:
    @builtin(category="Tests")
    def op(x: Array["N"]) -> Array["..."]:
        """Does something."""
        return body(x)

    data = data_of(op)
    assert "nodes" not in data
    found = trace(op)
    assert found is not None
    for box, step in zip(data["boxes"], found.as_written(), strict=True):
        assert box["value"] == step.value.ravel().tolist()
        assert box["incoming"] == step.cotangent.ravel().tolist()


def test_numbers_stay_where_not_all_are_taken() -> None:
    @builtin(category="Tests")
    def op(x: Array["N"]) -> Array["N"]:
        """A probability, halved."""
        if np.any(x < -1):
            raise ValueError("op: x must be at least -1")
        return x * 0.5

    assert "nodes" not in data_of(op)


def test_what_json_has_no_numbers_for_is_text() -> None:
    @builtin(category="Tests")
    def op(x: Array["N"]) -> Array["N"]:
        """The greater of x and nothing."""
        return np.where(x == np.inf, np.nan, np.maximum(x, -np.inf))

    given = [node["value"] for node in data_of(op)["nodes"] if node["shape"] == [] and "value" in node]
    assert sorted(map(str, given)) == ["['-Infinity']", "['Infinity']", "['NaN']"]


def test_data_is_the_same_every_time_and_small() -> None:
    for op in (catalogue()["scaled_dot_product_attention"], catalogue()["layer_norm"]):
        first, second = trace(op), trace(op)
        assert first is not None
        assert second is not None
        assert as_data(first, op) == as_data(second, op)
        assert len(as_data(first, op)) < 6000


def test_large_arrays_are_drawn_only() -> None:
    @builtin(category="Tests")
    def op(x: Array["N D"]) -> Array["N D"]:
        """Repeats every entry."""
        return np.tile(x, (10, 10))

    found = trace(op)
    assert found is not None
    assert as_data(found, op) == ""

"""A call in a layout that has fitted before is not checked again; whatever a layout does not tell is, every time."""

import itertools
import pickle
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
import pytest

from opbook import Array, Bool, Int, Mask, builtin, vjp
from opbook.autodiff import tree
from opbook.builtins.layout import MOST, Layouts
from opbook.errors import ArgumentError, InputError, OpbookError, ShapeError

SEEN: list[Any] = []


class Weights(TypedDict):
    w: Array["D M"]
    b: Array["M"]


class Pair(NamedTuple):
    first: Array["N"]
    second: Array["N"]


@builtin(category="Tests")
def layered(
    x: Array["... N D"], layers: tuple[Weights, ...], mask: Mask["N"] | None = None, *, scale: float = 1.0
) -> Array["... N D"]:
    """Goes through layers."""
    SEEN.append((x, layers, mask, scale))
    for layer in layers:
        x = scale * x @ layer["w"] + layer["b"]
    return x if mask is None else np.where(mask[:, None], x, 0)


@builtin(category="Tests")
def chosen(table: Array["V D"], ids: Int["N", "0:V"]) -> Array["N D"]:
    """Takes rows."""
    return table[ids]


@builtin(category="Tests")
def powered(x: Array["N"], power: Literal[1, 2] = 1) -> Array["N"]:
    """Takes a power."""
    return x**power


@builtin(category="Tests")
def turned(x: Array["N"], way: Literal["up", "down"] = "up") -> Array["N"]:
    """Changes the sign, or not."""
    return x if way == "up" else -x


@builtin(category="Tests")
def joined(pair: Pair, whole: bool = True, count: int = 1, factor: float = 1.0) -> Array["N"]:
    """Adds two."""
    SEEN.append((type(pair), type(whole), type(count), type(factor)))
    return pair.first + pair.second


@builtin(category="Tests")
def halved(mask: Bool["N"]) -> Array["N"]:
    """Halves what is true."""
    return np.where(mask, 0.5, 0.25)


@builtin(category="Tests")
def numbered(x: Array["N"], order: int | float = 1) -> Array["N"]:
    """Is another thing for whole numbers."""
    return -x if isinstance(order, int) else x


@builtin(category="Tests")
def either(x: Array["N"], weights: Mask["N"] | Array["N"]) -> Array["N"]:
    """Is another thing for a mask."""
    return np.where(weights, x, 0) if weights.dtype == bool else weights


@builtin(category="Tests")
def nested(x: Array["N"], sizes: tuple[int, ...] | tuple[float, ...]) -> Array["N"]:
    """Is another thing for whole numbers."""
    return x + sum(isinstance(size, int) for size in sizes)


def layer(d, m):
    return {"w": np.ones((d, m)), "b": np.zeros(m)}


def twice(op, *args, **kwargs):
    """Call it until its layout is known."""
    first, second = op(*args, **kwargs), op(*args, **kwargs)
    np.testing.assert_array_equal(first, second)
    return second


def test_arguments_of_a_known_layout_arrive_as_they_are():
    x, layers, mask = np.ones((2, 5, 3)), (layer(3, 3), layer(3, 3)), np.arange(5) > 2
    twice(layered, x, layers, mask, scale=0.5)
    SEEN.clear()
    layered(x, layers, mask, scale=2.0)
    (got,) = SEEN
    for mine, theirs in zip(tree.leaves(got), tree.leaves((x, layers, mask)), strict=False):
        assert mine is theirs
    assert got[3] == 2.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda x, layers: (x[:, :2], layers), "layers[0].w has 3 rows but x has 2 columns"),
        (
            lambda x, layers: (x, ({"w": np.ones((3, 2)), "b": np.zeros(3)},)),
            "layers[0].b has 3 entries but layers[0].w has 2 columns",
        ),
        (lambda x, layers: (x, ({"w": layers[0]["w"]},)), "layers[0] has no field b"),
        (lambda x, layers: (x, ({**layers[0], "c": 1.0},)), "layers[0] has an unknown field c"),
        (lambda x, layers: (x.astype(complex), layers), "complex"),
        (lambda x, layers: (x, layers[0]), "layers must be a tuple or list"),
        (lambda x, layers: (x, layers, np.full(5, 0.5)), "0.5"),
        (lambda x, layers: (x, layers, np.ones(4, bool)), "mask"),
    ],
)
def test_a_call_that_is_a_little_different_is_refused_as_ever(wrong, words):
    x, layers = np.ones((5, 3)), (layer(3, 3),)
    twice(layered, x, layers)
    twice(layered, x, layers, np.ones(5))
    for _ in range(2):
        with pytest.raises(OpbookError) as caught:
            layered(*wrong(x, layers))
        assert words in str(caught.value)


def test_numbers_that_decide_are_looked_at_every_time():
    table = np.arange(6.0).reshape(3, 2)
    twice(chosen, table, np.array([0, 2]))
    with pytest.raises(InputError, match=r"ids\[1\] is 3, but must be at least 0 and below V = 3"):
        chosen(table, np.array([0, 3]))
    x = np.arange(1.0, 3.0)
    twice(powered, x, 2)
    np.testing.assert_array_equal(powered(x, 1), x)
    with pytest.raises(InputError, match="power must be 1 or 2, but is 3"):
        powered(x, 3)
    twice(turned, x, "up")
    with pytest.raises(InputError, match='way must be "up" or "down", but is \'around\''):
        turned(x, "around")


def test_what_is_converted_is_converted_every_time():
    ones = np.ones(3)
    for arguments in ((Pair(ones, ones), True, 2, 0.5), ((ones, ones), True, 2, 0.5), (Pair(ones, ones), True, 2.0, 3)):
        twice(joined, *arguments)
        SEEN.clear()
        joined(*arguments)
        assert [(Pair, bool, int, float)] == SEEN
    with pytest.raises(ArgumentError, match="whole must be true or false, but is 1"):
        joined((ones, ones), 1)
    with pytest.raises(ArgumentError, match="count must be an integer, but is True"):
        joined((ones, ones), True, True)
    wide = np.ones((3, 8))
    twice(layered, np.ones((3, 4)), (layer(4, 4),))
    layered(wide[:, ::2], (layer(4, 4),))
    assert SEEN[-1][0].flags.c_contiguous


def outcome(op, arguments):
    """The value of a call, to the bit, or its error."""
    try:
        value = op(*arguments)
    except OpbookError as error:
        return type(error), str(error)
    return value.dtype, value.shape, value.tobytes()


UNPICKLED = pickle.loads(pickle.dumps(np.array([True, False, True])))
OWN_CLASS = type("OwnClass", (np.ndarray,), {})
VECTORS = [
    *map(np.array, ([1.0, 0.0, 1.0], [0.5, 2.0, -1.0], [np.nan, np.inf, 0.0], [1, 0, 2], [0, 0, 3])),
    *(np.array([1, 0, 1], dtype) for dtype in (bool, np.float32, np.float16, object, complex, np.uint8, ">f8")),
    *(UNPICKLED, np.ones(4), np.ones((1, 3)), np.array(1.0), np.ones(6)[::2], np.ones(3).view(OWN_CLASS)),
    *([1, 0, 1], [0.5, 1, 1], (1.0, 0.0, 1.0), [[1], [2, 3]], np.ma.masked_array([1.0, 0.0, 1.0])),
]
NUMBERS = [0, 1, 2, -1, 10**20, True, 0.0, 2.0, 2.5, np.nan, np.inf, np.int64(2), np.float64(2.5), np.array(2.0)]


@pytest.mark.parametrize(
    ("op", "choices"),
    [
        (halved, [VECTORS]),
        (chosen, [[np.ones((3, 2)), np.ones((2, 2), np.float32), np.ones(3)], VECTORS]),
        (powered, [VECTORS, NUMBERS]),
        (turned, [VECTORS[:3], [*NUMBERS, None, "up", "down", "around"]]),
        (numbered, [VECTORS, NUMBERS]),
        (either, [VECTORS, VECTORS]),
        (nested, [VECTORS[:2], [*itertools.product([2, 2.0, 2.5, True], repeat=2), (), [2.0], [2.5]]]),
        (joined, [[(one, two) for one in VECTORS[:6] for two in VECTORS[:6]], [True, 1, 0.0], NUMBERS]),
    ],
)
def test_what_was_called_before_changes_nothing(op, choices, monkeypatch):
    calls = list(itertools.product(*choices))
    with monkeypatch.context() as patch:
        patch.setattr(Layouts, "floats_if_fitting", lambda *_: None)  # every call is checked, and layouts are kept
        due = [outcome(op, call) for call in calls]
    for call, one in zip(calls, due, strict=True):
        assert outcome(op, call) == one, call


def test_arguments_by_name_are_sorted_in_every_time():
    x, layers = np.ones((5, 3)), (layer(3, 3),)
    due = layered(x, layers, np.arange(5) > 1)
    for _ in range(3):
        np.testing.assert_array_equal(layered(x, mask=np.arange(5) > 1, layers=layers), due)


def test_a_value_on_a_tape_has_a_layout_too():
    x, layers = np.ones((5, 3)), (layer(3, 3),)
    for _ in range(3):
        value, pullback = vjp(lambda x: layered(x, layers) * 2.0, x)
        np.testing.assert_array_equal(value, np.full((5, 3), 6.0))
        np.testing.assert_array_equal(pullback(np.ones((5, 3)))[0], np.full((5, 3), 6.0))
    with pytest.raises(ShapeError, match="layers"):
        vjp(lambda x: layered(x, layers), np.ones((5, 4)))


def test_there_may_be_any_number_of_layouts():
    layers = (layer(2, 2),)
    for n in [*range(1, MOST + 20), *range(1, 5)]:
        assert layered(np.ones((n, 2)), layers).shape == (n, 2)
    assert len(layered.call_shapes[0]._layouts._fitting) <= MOST

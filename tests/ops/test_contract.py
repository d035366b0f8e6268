"""What holds for every differentiable builtin of the standard plugins, whatever it computes."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from numeric import central_differences, uneven

from opbook import ops, vjp
from opbook.examples import find
from opbook.plugins.catalogue import catalogue

PLUGINS = Path(__file__).parents[2] / "plugins"

A, B, ROW, CUBE = uneven((3, 4)), uneven((3, 4), 1), uneven((4,), 2), uneven((2, 3, 4), 3)
POSITIVE = np.abs(A)

# (name, arrays, arguments behind them)
CASES = [
    *((name, (A,), ()) for name in ("abs", "exp", "sin", "cos", "tanh", "sigmoid", "softplus", "erf", "relu", "gelu")),
    ("round", (A,), (1,)),
    ("sqrt", (POSITIVE,), ()),
    ("log", (POSITIVE,), ()),
    ("erf", (3.2 * A,), ()),  # all three of its ranges
    ("maximum", (A, B), ()),
    ("maximum", (CUBE, ROW), ()),
    ("minimum", (ROW, A), ()),
    ("gelu", (CUBE,), ("tanh",)),
    *(
        (name, (x,), axis)
        for name in ("sum", "mean", "max", "min")
        for x, axis in ((A, ()), (CUBE, (1,)), (CUBE, (-1,)))
    ),
    *((name, (x,), axis) for name in ("softmax", "log_softmax") for x, axis in ((A, ()), (CUBE, (1,)), (ROW, (0,)))),
    *((name, (A,), ()) for name in ("elu", "leaky_relu", "log_sigmoid", "silu")),
    *((name, (x,), axis) for name in ("cumsum", "logsumexp", "norm", "sort") for x, axis in ((A, ()), (CUBE, (1,)))),
    ("rms_norm", (CUBE, ROW), ()),
    ("group_norm", (CUBE, A[:, 0], A[:, 1]), (3,)),
    ("linear", (CUBE, A.T, A[:, 0]), ()),
    ("conv2d", (CUBE, uneven((3, 2, 2, 3), 4), uneven((3,), 5)), ()),
    *((name, (CUBE,), (size,)) for name in ("avg_pool", "max_pool") for size in (2, (3, 2))),
    ("transpose", (A,), ()),
    ("transpose", (CUBE,), ()),
    ("reshape", (A,), ((2, -1),)),
    ("take", (A,), ([2, 0, 2],)),
    ("take", (CUBE,), (-1, 1)),
    ("take", (CUBE,), (np.array([[1, 1], [0, -2]]), 2)),
]
IDS = [f"{name}-{i}" for i, (name, _, _) in enumerate(CASES)]

every_case = pytest.mark.parametrize(("name", "arrays", "rest"), CASES, ids=IDS)


def gradients(function, arrays, rest):
    """The value, and the gradients for an uneven cotangent."""
    value, pullback = vjp(function, *arrays, *rest)
    return value, pullback(uneven(np.shape(value), 9))[: len(arrays)]


@every_case
def test_rule_agrees_with_the_definition_on_the_tape(name, arrays, rest):
    op = catalogue()[name]
    value, found = gradients(op, arrays, rest)
    defined, expected = gradients(lambda *x: op.definition(*x, *rest), arrays, ())
    np.testing.assert_allclose(value, defined, rtol=1e-13, atol=1e-14)
    for gradient, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-11, atol=1e-13)


@every_case
def test_gradient_agrees_with_central_differences(name, arrays, rest):
    op = catalogue()[name]
    value, found = gradients(op, arrays, rest)
    expected = central_differences(lambda *x: op(*x, *rest), arrays, uneven(np.shape(value), 9))
    for gradient, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-7, atol=1e-8)


@every_case
def test_second_derivative_agrees_with_central_differences(name, arrays, rest):
    op = catalogue()[name]

    def slope(*x):
        value, pullback = vjp(op, *x, *rest)
        return pullback(uneven(np.shape(value), 9))[0]

    found = vjp(slope, *arrays)[1](uneven(arrays[0].shape, 5))
    expected = central_differences(slope, arrays, uneven(arrays[0].shape, 5))
    for gradient, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-8)


@every_case
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_is_kept_and_the_result_is_as_near_as_it_allows(name, arrays, rest, dtype):
    op = catalogue()[name]
    narrow = [x.astype(dtype) for x in arrays]
    value, found = gradients(op, narrow, rest)
    exact, expected = gradients(op, [x.astype(np.float64) for x in narrow], rest)
    eps = np.finfo(dtype).eps
    assert value.dtype == op(*narrow, *rest).dtype == dtype
    np.testing.assert_allclose(value, exact, rtol=8 * eps, atol=4 * eps)
    for gradient, wanted, x in zip(found, expected, narrow, strict=True):
        assert (gradient.dtype, gradient.shape) == (dtype, x.shape)
        np.testing.assert_allclose(gradient, wanted, rtol=16 * eps, atol=16 * eps)


@every_case
def test_inputs_are_neither_written_to_nor_kept(name, arrays, rest):
    op = catalogue()[name]
    own = [np.array(x) for x in arrays]
    assert not any(np.shares_memory(op(*own, *rest), x) for x in own)
    value, pullback = vjp(op, *own, *rest)
    g = uneven(np.shape(value), 9)
    before = [np.array(gradient) for gradient in pullback(g)[: len(own)]]
    for x, original in zip(own, arrays, strict=True):
        np.testing.assert_array_equal(x, original)
        x[...] = 7.0
    if isinstance(value, np.ndarray):
        value[...] = 7.0
    after = pullback(g)[: len(own)]
    for gradient, wanted in zip(after, before, strict=True):
        np.testing.assert_array_equal(gradient, wanted)
        assert not np.shares_memory(gradient, g)
        gradient[...] = 7.0  # memory of its own: the next call does not see this
    for gradient, wanted in zip(pullback(g)[: len(own)], before, strict=True):
        np.testing.assert_array_equal(gradient, wanted)


@every_case
def test_awkward_memory_gives_the_same(name, arrays, rest):
    op = catalogue()[name]
    value, found = gradients(op, arrays, rest)
    awkward = []
    for x in arrays:
        strided = np.repeat(np.asfortranarray(x), 2, axis=-1)[..., ::2]
        strided.flags.writeable = False
        awkward.append(strided)
    other, same = gradients(op, awkward, rest)
    np.testing.assert_allclose(other, value, rtol=1e-14, atol=1e-15)
    for gradient, wanted in zip(same, found, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-14, atol=1e-15)


@every_case
def test_it_works_within_a_function_on_a_tape(name, arrays, rest):
    op = catalogue()[name]
    value, found = gradients(op, arrays, rest)
    other, same = gradients(lambda *x: op(*(2 * array - array for array in x), *rest) * 1.0, arrays, ())
    np.testing.assert_allclose(other, value, rtol=1e-12, atol=1e-13)
    for gradient, wanted in zip(same, found, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-12, atol=1e-13)


NUMBERS = [
    "abs",
    "cos",
    "elu",
    "erf",
    "exp",
    "gelu",
    "leaky_relu",
    "log",
    "log_sigmoid",
    "max",
    "mean",
    "min",
    "norm",
    "relu",
    "round",
    "sigmoid",
    "silu",
    "sin",
    "softplus",
]


@pytest.mark.parametrize("name", [*NUMBERS, "sqrt", "sum", "tanh"])
def test_a_number_gives_a_number_and_integers_become_float64(name):
    op = catalogue()[name]
    value = op(1)
    assert isinstance(value, np.float64)
    assert op(np.array([1, 1], np.int32)).dtype == np.float64
    assert isinstance(vjp(op, 1)[1](1.0)[0], np.float64)
    assert vjp(op, np.float32(1))[1](1.0)[0].dtype == np.float32


def test_every_standard_builtin_has_a_note_aliases_and_every_section():
    for name, op in catalogue().items():
        if op.definition.__module__.split(".")[0] in {
            *("opbook_math", "opbook_reductions", "opbook_arrays"),
            *("opbook_activations", "opbook_text", "opbook_calculus"),
            *("opbook_normalization", "opbook_linear", "opbook_recurrence"),
            *("opbook_optimization", "opbook_positions"),
        }:
            assert len(op.note) > 150, name
            assert op.aliases, name
            assert {"Returns", "Source"} <= op.doc.sections.keys(), name
            for param in (param for shape in op.call_shapes for param in shape.params):
                assert param.doc, (name, param.name)


def test_what_a_builtin_is_can_be_read_alone():
    for name, op in catalogue().items():
        assert len(op.doc.description) > 60, f"{name} is explained by one sentence; say what it is for, and its shapes"


def test_examples_stand_side_by_side_in_both_languages():
    only_in_python = {"Looking into a gradient"}  # in the notation, a function that prints can't return a value as well
    for page in sorted(PLUGINS.glob("*/opbook_*/examples.md")):
        for heading, under in itertools.groupby(find(page), lambda example: example.heading):
            languages = [example.language for example in under]
            if heading not in only_in_python:
                pairs = ["qu", "python"] * (len(languages) // 2)
                assert languages == pairs, (
                    f"{page}, {heading!r}: an example and its twin in the other language belong here"
                )


def test_ops_can_be_imported_by_name():
    assert ops.softmax is catalogue()["softmax"]

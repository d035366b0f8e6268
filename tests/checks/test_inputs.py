"""The inputs are ordinary ones, what a builtin returns is held to its annotation, and what fails says where."""

from typing import TypedDict

import numpy as np
import pytest
from checks.ops_under_test import doubled, mixed, outcome, right

from opbook import Array, builtin
from opbook.checks.inputs import samples_of
from opbook.checks.verification import check_builtin, checks_of
from opbook.errors import InputError
from opbook.plugins.catalogue import catalogue


def test_a_rule_that_takes_a_batch_for_a_row_is_refuted():
    def folded(x, w):
        if x.ndim < 3 or x.shape != w.shape:
            return right(x, w)
        value, pullback = right(x.reshape(len(x), -1), w.reshape(len(w), -1))
        return value.reshape(x.shape), lambda g: tuple(d.reshape(x.shape) for d in pullback(g.reshape(len(x), -1)))

    found = outcome(mixed(folded), "rule value")
    assert found.status == "failed"
    assert "on two batch axes" in found.message


def test_the_inputs_have_the_ordinary_shapes():
    from opbook.ops import multi_head_attention, scaled_dot_product_attention

    catalogue().load_samples()
    q, k, v = next(s.args for s in samples_of(scaled_dot_product_attention) if s.label == "two batch axes")
    sizes = {*q.shape, *k.shape, *v.shape}
    assert (q.ndim, k.ndim, v.ndim) == (4, 4, 4)
    assert len(sizes) == 6
    assert not any(a % b == 0 for a in sizes for b in sizes if a != b)
    assert 1 not in sizes
    equal = [
        s.args
        for s in samples_of(multi_head_attention)
        if len(s.args[1]) > 1 and {head["wq"].shape[1] * len(s.args[1]) for head in s.args[1]} == {s.args[0].shape[-1]}
    ]
    assert {args[0].ndim for args in equal} >= {2, 3, 4, 5}


def test_an_input_is_dropped_only_if_the_op_refuses_it_itself():
    def forgets_to_transpose(x, w):
        return x @ w.T

    def refuses(x, w):
        if x.shape[-1] != w.shape[-1]:
            raise InputError("op: only square weights")
        return x @ w

    def calls_another(x, w):
        from opbook.ops import softmax

        return softmax(x @ w, axis=7)

    def product(definition):
        @builtin(category="Tests")
        def op(x: Array["... D"], w: Array["D K"]) -> Array["... K"]:
            """Multiplies."""
            return definition(x, w)

        return outcome(op, "definition")

    for definition in (forgets_to_transpose, calls_another):
        found = product(definition)
        assert found.status == "failed"
        assert "it raises InputError: op: " in found.message
        assert "on no batch axes: op(np.array(" in found.message
    found = product(refuses)
    assert found.status == "passed"
    assert found.refused > 3
    assert "generated inputs, such as no batch axes: op: only square weights" in found.message


class Pair(TypedDict):
    total: Array["... D"]
    count: float


@pytest.mark.parametrize(
    ("annotation", "value", "words"),
    [
        (
            tuple[Array["... D"], Array["... D"]],
            lambda x: x * 1,
            "expected a tuple as annotated, got an array of shape",
        ),
        (tuple[Array["... D"], Array["... D"]], lambda x: (x * 1,), "expected 2 items as annotated, got 1"),
        (tuple[Array["... D"], Array["... D"]], lambda x: (x * 1, x.sum()), "at [1], got ()"),
        (Pair, lambda x: {"total": x * 1}, "expected the fields count, total as annotated, got total"),
        (Pair, lambda x: {"total": x * 1, "count": "3"}, "expected number as annotated at count, got '3'"),
        (Pair, lambda x: {"total": x[..., :0], "count": 3.0}, "as annotated at total, got"),
        (float, lambda x: "text", "expected number as annotated, got 'text'"),
        (Array["... D"], lambda x: 3.0, "expected an array as annotated, got 3.0"),
        (Array["... D"], lambda x: x.sum(axis=-1), "expected shape (3,) as annotated, got ()"),
        (None, lambda x: x * 1, "as annotated, got an array"),
    ],
)
def test_a_result_that_is_not_what_the_annotation_says_is_refuted(annotation, value, words):
    def op(x):
        """Does."""
        return value(x)

    op.__annotations__ = {"x": Array["... D"], "return": annotation}
    found = outcome(builtin(category="Tests")(op), "definition")
    assert found.status == "failed"
    assert words in found.message


def test_a_tolerance_comes_from_what_the_definition_reaches_in_that_precision():
    def rms_norm(x, gamma):
        if not x.shape[-1]:
            raise InputError("op: x has no columns")
        root = np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
        normed = x / root

        def pullback(g):
            h = g * gamma
            dx = (h - normed * (h * normed).mean(axis=-1, keepdims=True)) / root  # with one column 1 - normed² cancels
            return dx, (g * normed).reshape(-1, len(gamma)).sum(axis=0)

        return gamma * normed, pullback

    def imprecise(x, gamma):
        value, pullback = rms_norm(x, gamma)
        return value, lambda g: tuple(
            (d * (1 + 1e-3)).astype(d.dtype) if d.dtype == np.float32 else d for d in pullback(g)
        )

    def made(rule):
        @builtin(category="Tests")
        def op(x: Array["... D"], gamma: Array["D"]) -> Array["... D"]:
            """Scales rows."""
            if not x.shape[-1]:
                raise InputError("op: x has no columns")
            return gamma * x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)

        op.defvjp(rule)
        return outcome(op, "gradient dtypes")

    assert made(rms_norm).status == "passed"
    found = made(imprecise)
    assert found.status == "failed"
    assert "a gradient is off by 1.0e-03 (at most " in found.message


@pytest.mark.parametrize("error", [SystemExit(0), KeyError("lost"), ZeroDivisionError("by what?")])
def test_what_nobody_expected_is_told_once_with_its_input_and_line(error):
    def broken(x):
        raise error

    outcomes = list(check_builtin(doubled(None, broken), checks_of(doubled(None)), None, None))
    failed = [o for o in outcomes if o.cause]
    assert len(failed) > 10
    assert len({o.cause for o in failed}) == 1
    first = failed[0].message
    assert f"it raises {type(error).__name__}" in first
    assert "in test_inputs.py:" in first
    assert "op(np.array([" in first


def test_threads_are_checked_in_float32_too():
    scratch = {}

    def rule(x, w):
        value, pullback = right(x, w)
        if x.dtype == np.float32:
            import time

            scratch["value"] = value
            time.sleep(0.001)
            value = value * (scratch["value"] is value)
        return value, pullback

    found = outcome(mixed(rule), "threads")
    assert found.status == "failed"
    assert "np.float32" in found.message or "<float32" in found.message

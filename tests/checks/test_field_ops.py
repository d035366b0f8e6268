"""Ops of the field: verified with inputs from their annotations alone, and wrong rules for them are refuted."""

import inspect
from typing import TypedDict

import numpy as np
import pytest
from checks import field_ops as ops

from opbook import Array, Int, builtin, grad, vjp
from opbook.checks import CHECKS
from opbook.checks.inputs import inputs_of
from opbook.errors import InputError
from opbook.testing import check

NAMES = [name for name in CHECKS if name not in ("documented", "examples", "known answers")]
RNG = np.random.default_rng(1)


@pytest.mark.parametrize("op", ops.OPS, ids=lambda op: op.name)
def test_each_passes_every_check_without_samples_of_its_own(op):
    assert not op.samplers
    outcomes = check(op, NAMES)
    assert sum(outcome.status == "passed" for outcome in outcomes) > 8
    unproved = {outcome.check for outcome in outcomes if outcome.status == "not applicable"}
    assert "notation" not in unproved
    assert ("rule gradient" in unproved) == (op.own_rule is None)


def with_rule(op, change):
    """The same op with a rule that is changed."""
    other = builtin(category="Tests")(op.definition)

    def rule(*args):
        value, pullback = op.own_rule(*args)
        return value, lambda g: change(g, pullback(g), *args)

    rule.__signature__ = inspect.signature(op.own_rule)  # type: ignore[attr-defined]
    other.defvjp(rule)
    return other


def doubled_first(g, gradients, *args):
    first, *rest = gradients
    return ({name: 2 * a for name, a in first.items()} if isinstance(first, dict) else 2 * first), *rest


def assigned(g, gradients, table, ids):
    d_table = np.zeros_like(table)
    d_table[ids] = g  # the last of several takes all
    return d_table, None


def without_batch(g, gradients, table, ids):
    d_table = np.zeros_like(table)
    np.add.at(d_table, ids.reshape(-1, ids.shape[-1])[:1], g.reshape(-1, *g.shape[-2:])[:1])
    return d_table, None


def wrong_row(g, gradients, table, ids):
    return np.roll(gradients[0], 1, axis=0), None


def without_cotangent(g, gradients, logits, labels):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(gradients[0] / g[..., None]), None


def without_label(g, gradients, logits, labels):
    return gradients[0] + g[..., None] * np.eye(logits.shape[-1])[labels], None


def over_wrong_axis(g, gradients, logits, labels):
    return gradients[0] - gradients[0].mean(axis=0, keepdims=True), None


def unused_gate(g, gradients, x, h, weights):
    _, z, _, _ = ops.gates(x, h, weights)
    return ops.gru_cell.own_rule(x, h, weights)[1](g._replace(kept=0 * z))


def forgotten_state(g, gradients, x, h, weights):
    _, z, _, _ = ops.gates(x, h, weights)
    return gradients[0], gradients[1] - g[0] * z, gradients[2]


def bias_of_one_row(g, gradients, x, h, weights):
    changed = dict(gradients[2])
    if "b" in changed and len(x) > 1:
        changed["b"] = changed["b"] / len(x)
    return (*gradients[:2], changed)


def swapped_caches(g, gradients, cache, k, v):
    return {"k": gradients[0]["v"], "v": gradients[0]["k"]}, *gradients[1:]


def only_keys(g, gradients, cache, k, v):
    return gradients[0], gradients[1], 0 * gradients[2]


def first_rows(g, gradients, cache, k, v):
    return gradients[0], g["k"][..., : k.shape[-2], :], gradients[2]


def third_dropped(g, gradients, arrays, start):
    return tuple(d * (i < 2) for i, d in enumerate(gradients[0])), gradients[1]


def last_row_only(g, gradients, arrays, start):
    return gradients[0], g.reshape(-1, g.shape[-1])[-1] if g.size else gradients[1]


def reversed_items(g, gradients, arrays, start):
    return gradients[0], -gradients[1]


WRONG = {
    ops.embedding: (doubled_first, assigned, without_batch, wrong_row),
    ops.cross_entropy: (doubled_first, without_cotangent, without_label, over_wrong_axis),
    ops.gru_cell: (doubled_first, unused_gate, forgotten_state, bias_of_one_row),
    ops.append_to_cache: (doubled_first, swapped_caches, only_keys, first_rows),
    ops.total: (third_dropped, last_row_only, reversed_items),
}


@pytest.mark.parametrize(
    ("op", "change"), [(op, change) for op, changes in WRONG.items() for change in changes], ids=lambda x: x.__name__
)
def test_a_wrong_rule_is_refuted(op, change):
    with pytest.raises(AssertionError, match="rule gradient: "):
        check(with_rule(op, change), ["rule gradient"])


def test_tuples_are_made_with_none_to_three_items_of_mixed_batch_shapes():
    made = {sample.label: sample.args[0] for sample in inputs_of(ops.total).samples}
    assert len(made["a tuple of none"]) == 0
    assert len(made["a tuple of one"]) == 1
    assert len({item.shape[:-1] for item in made["a tuple of three"]}) == 3


def test_the_sizes_of_a_convolution_are_ones_that_it_has():
    shapes = [(len(x), len(w)) for sample in inputs_of(ops.correlate).samples for x, w in [sample.args]]
    assert all(length >= width for length, width in shapes if width)


def test_one_of_two_results_on_a_tape_to_second_order():
    x, h = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 4))
    weights = {"w": RNG.normal(size=(3, 12)), "u": RNG.normal(size=(4, 12))}
    state = grad(lambda x: ops.gru_cell(x, h, weights).h.sum())(x)
    step = 1e-6 * RNG.normal(size=x.shape)
    change = ops.gru_cell(x + step, h, weights).h.sum() - ops.gru_cell(x - step, h, weights).h.sum()
    assert (state * step).sum() == pytest.approx(change / 2, rel=1e-5)
    _, pullback = vjp(ops.gru_cell, x, h, weights)
    assert np.array_equal(pullback((np.ones((2, 4)), None))[0], state)

    def first(x):
        return (grad(lambda y: ops.gru_cell(y, h, weights)[0].sum())(x) * step).sum()

    second = grad(first)(x)
    change = first(x + step) - first(x - step)
    assert (second * step).sum() == pytest.approx(change / 2, rel=1e-4)


def test_whole_numbers_in_a_record_stay_in_second_order():
    class State(TypedDict):
        w: Array["D"]
        step: Int["", "0:"]

    @builtin(category="Test")
    def warmed(state: State) -> Array["D"]:
        """Raises entries to a power that grows with the steps."""
        return state["w"] ** (int(state["step"]) + 2)

    @warmed.samples
    def _(draw):
        for step in (3, np.array(2)):
            yield ({"w": draw.positive(3), "step": step},)

    assert {outcome.status for outcome in check(warmed, ["second order", "differences"])} == {"passed"}


def test_errors_say_index_and_numbers():
    with pytest.raises(InputError) as error:
        ops.embedding(np.ones((5, 2)), [[0, 1], [7, 2]])
    assert str(error.value) == "embedding: ids[1, 0] is 7, but must be at least 0 and below V = 5"

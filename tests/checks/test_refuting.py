"""What the checks refute: each wrong rule or definition by the check that is for it, with a message that says whose."""

from typing import Any

import numpy as np
import pytest
from checks.ops_under_test import changed, doubled, mixed, outcome, right

from opbook import Array, builtin, stop_gradient
from opbook.checks import CHECKS
from opbook.checks.inputs import samples_of
from opbook.checks.subject import Subject
from opbook.checks.verification import run
from opbook.errors import InputError
from opbook.figures import Bars, show
from opbook.testing import check


@pytest.fixture(autouse=True)
def _no_empty_means(monkeypatch):
    """The mean of no columns is not what these tests are about."""
    from opbook.checks import generation

    monkeypatch.setattr(generation, "KINDS", [kind for kind in generation.KINDS if kind.label != "no entries"])


def test_the_right_rule_passes_every_check():
    outcomes = check(mixed(right), [name for name in CHECKS if name not in ("examples", "documented", "known answers")])
    assert {o.status for o in outcomes} == {"passed"}


def test_without_a_rule_the_tape_is_checked():
    op = mixed()
    assert outcome(op, "rule gradient").status == "not applicable"
    assert outcome(op, "differences").status == "passed"
    assert outcome(op, "taylor").status == "passed"


@pytest.mark.parametrize(
    ("change", "whose"),
    [
        (lambda dx, dw, g, x: (dx * 1.01, dw), "argument 1 (x)"),
        (lambda dx, dw, g, x: (dx, dw * 0.99), "argument 2 (w)"),
        (lambda dx, dw, g, x: (-dx, dw), "argument 1 (x)"),
        (lambda dx, dw, g, x: (np.resize(dw, dx.shape), np.resize(dx, dw.shape)), "argument 1 (x)"),
        (lambda dx, dw, g, x: (dx, np.zeros_like(dw)), "argument 2 (w)"),
        (lambda dx, dw, g, x: (dx + np.nan, dw), "argument 1 (x)"),
    ],
    ids=["1 % off", "1 % off, second", "sign", "swapped", "forgotten", "NaN"],
)
def test_a_wrong_gradient_is_refuted_and_said_whose(change, whose):
    found = outcome(mixed(changed(change)), "rule gradient")
    assert found.status == "failed"
    assert whose in found.message
    assert "rule " in found.message
    assert "tape " in found.message
    assert "op(np.array(" in found.message  # to paste into a test


def test_forgetting_one_use_of_an_argument_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        e = np.tanh(w)

        def without_the_mean(g):
            dx, dw = pullback(g)
            return dx - np.mean(g * x, axis=-1, keepdims=True) * np.ones_like(dx), dw

        return value, without_the_mean if e.size else pullback

    assert outcome(mixed(rule), "rule gradient").status == "failed"


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda dx, dw, g, x: (dx,), "a tuple of 2 gradients (x, w), but returned 1"),
        (lambda dx, dw, g, x: (dx, None), "gradient of argument 2 (w)"),
        (lambda dx, dw, g, x: (dx[None], dw), "must have shape"),
        (lambda dx, dw, g, x: 1 / 0, "ZeroDivisionError"),
    ],
    ids=["too few", "None", "shape", "raises"],
)
def test_a_rule_that_breaks_its_contract_gets_its_own_message(returned, words):
    found = outcome(mixed(changed(returned)), "rule gradient")
    assert found.status == "failed"
    assert words in found.message


def test_a_wrong_value_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        return value * (1 + 1e-8), pullback

    found = outcome(mixed(rule), "rule value")
    assert found.status == "failed"
    assert "differs from the definition's by 1.0e-08" in found.message


def test_a_rule_that_needs_to_write_into_its_input_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        x += 0
        return value, pullback

    assert "read-only" in outcome(mixed(rule), "layouts").message
    assert outcome(mixed(rule), "rule value").status == "passed"


def test_writing_into_an_argument_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        x *= 1.5
        return value, pullback

    found = outcome(mixed(rule), "inputs unchanged")
    assert found.status == "failed"
    assert "writes into its argument" in found.message


def test_writing_into_the_cotangent_is_refuted():
    def change(dx, dw, g, x):
        g *= 2
        return dx, dw

    assert "into its cotangent" in outcome(mixed(changed(change)), "inputs unchanged").message


def test_a_pullback_with_a_memory_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        calls = []

        def drifting(g):
            calls.append(1)
            return tuple(d * (1 + 1e-6 * len(calls)) for d in pullback(g))

        return value, drifting

    assert outcome(mixed(rule), "pullback").status == "failed"


def test_a_pullback_that_is_not_linear_is_refuted():
    found = outcome(mixed(changed(lambda dx, dw, g, x: (dx * np.abs(dx), dw))), "pullback")
    assert "not linear" in found.message


def test_state_shared_between_threads_is_refuted():
    scratch = {}

    def rule(x, w):
        import time

        value, pullback = right(x, w)
        scratch["value"] = value

        def through_scratch(g):
            time.sleep(0.001)  # lets another thread in; without it the race would be won now and then
            return tuple(d * (scratch["value"] is value) for d in pullback(g))

        return value, through_scratch

    assert outcome(mixed(rule), "threads").status == "failed"


def test_a_reference_cycle_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        cycle: list[Any] = [value.copy()]
        cycle.append(cycle)
        return value, lambda g: pullback(g) if cycle else ()

    assert "reference cycles" in outcome(mixed(rule), "memory").message


def test_global_state_is_refuted():
    kept = {}

    def rule(x, w):
        value, kept["pullback"] = right(x, w)
        return value, lambda g: kept["pullback"](g)

    assert "returns something else" in outcome(mixed(rule), "pullback").message


def test_a_leak_is_refuted():
    kept = []

    def rule(x, w):
        kept.append(x)
        return right(x, w)

    assert "stays alive" in outcome(mixed(rule), "memory").message


def test_a_tile_with_a_wrong_rest_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        value[..., 8:] *= 1.01
        return value, pullback

    assert "larger sizes" in outcome(mixed(rule), "rule value").message


def test_a_rule_right_only_near_zero_is_refuted():
    def rule(x, w):
        value, pullback = right(np.clip(x, -6, 6), w)
        return value, pullback

    assert "numbers up to some 1000" in outcome(mixed(rule), "rule value").message


def test_a_rule_right_only_for_a_contiguous_cotangent_is_refuted():
    def change(dx, dw, g, x):
        return (dx, dw) if g.flags.c_contiguous else (dx * 2, dw)

    assert outcome(mixed(changed(change)), "layouts").status == "failed"


def test_a_formula_that_overflows_is_refuted():
    @builtin(category="Tests")
    def naive(x: Array["..."]) -> Array["..."]:
        """The logistic function as it is written in books."""
        return 1 / (1 + np.exp(-x))

    assert "overflow" in outcome(naive, "warnings").message


def test_a_warning_is_refuted():
    def rule(x, w):
        value, pullback = right(x, w)
        np.log(np.zeros(1))
        return value, pullback

    found = outcome(mixed(rule), "warnings")
    assert found.status == "failed"
    assert "divide by zero" in found.message


def test_half_precision_that_overflows_is_refuted():
    @builtin(category="Tests")
    def op(x: Array["N"]) -> Array["N"]:
        """Squares and takes the root, with a detour that float32 does not survive."""
        return np.abs(x)

    op.defvjp(lambda x: (np.sqrt((x * x.dtype.type(1e30)) ** 2) / x.dtype.type(1e30), lambda g: (g * np.sign(x),)))
    with np.errstate(over="ignore"):
        assert outcome(op, "dtypes").status == "failed"


def test_a_wrong_annotation_is_refuted():
    @builtin(category="Tests")
    def op(x: Array["N D"]) -> Array["D N"]:
        """Does not transpose."""
        return x * 1

    found = outcome(op, "definition")
    assert "expected shape (4, 3) as annotated, got (3, 4)" in found.message


def test_a_tape_that_is_wrong_is_refuted_by_both_opinions(monkeypatch):
    from opbook.autodiff.derivatives import PRIMITIVES
    from opbook.autodiff.derivatives.table import Primitive

    monkeypatch.setitem(
        PRIMITIVES, np.tanh, Primitive(lambda x: (np.tanh(x), (lambda g: g * (1 - np.tanh(x) ** 2) * 1.01,)))
    )  # fmt: skip
    for name in ("differences", "taylor"):
        found = outcome(mixed(), name)
        assert found.status == "failed", name
        assert "argument 2 (w)" in found.message


def test_missing_documentation_is_listed():
    @builtin(category="Tests")
    def bare(x: Array["N"]) -> Array["N"]:
        """Does."""
        return x * 1

    message = outcome(bare, "documented").message
    for part in ("section Returns", "section Source", "x in section Args", "note"):
        assert part in message


def test_all_failures_are_told_at_once():
    @builtin(category="Tests")
    def careless(x: Array["..."], kind: Any = 1) -> Array["..."]:
        """Takes anything."""
        return np.asarray(x, dtype=float)

    with pytest.raises(AssertionError, match=r"careless fails \d+ of \d+ checks"):
        check(careless)


def test_inputs_that_cannot_be_derived_say_so():
    @builtin(category="Tests")
    def counted(n: int) -> Array["N"]:
        """Counts."""
        return np.arange(float(n))

    with pytest.raises(AssertionError, match=r"\(n is integer\); give it some with @\w+\.samples"):
        check(counted)

    @counted.samples
    def _(draw):
        return [3, (4,)]

    assert [sample.args for sample in samples_of(counted)] == [(3,), (4,)]


def test_samples_are_the_same_in_every_run_and_of_every_kind():
    from opbook.ops import scaled_dot_product_attention

    first, second = samples_of(scaled_dot_product_attention), samples_of(scaled_dot_product_attention)
    assert [s.label for s in first] == [s.label for s in second]
    np.testing.assert_array_equal(first[-1].args[0], second[-1].args[0])
    labels = " | ".join(s.label for s in first)
    for kind in (
        "empty row",
        "of 0 and 1",
        "a batch",
        "broadcast",
        "causal = True",
        "scale",
        "bias",
        "no keys",
        "NaN in a",
    ):
        assert kind in labels


def test_a_fault_that_definition_and_rule_share_is_refuted_by_a_known_answer():
    def samples(draw):
        yield draw.known("two", np.array([2.0, 4.0]), np.array([1.0, 2.0]))

    wrong = doubled(samples, lambda x: x * 2.02, lambda x: (x * 2.02, lambda g: (g * 2.02,)))
    assert outcome(wrong, "rule value").status == "passed"
    found = outcome(wrong, "known answers")
    assert found.status == "failed"
    assert "differs by 1.0e-02 from the known answer (on two: op(np.array([1.0, 2.0])))" in found.message
    assert outcome(doubled(samples), "known answers").status == "passed"
    assert outcome(mixed(right), "known answers").status == "not applicable"


def test_a_figure_can_be_known():
    def samples(draw):
        yield draw.known("two", Bars((1.0, np.nan)), np.array([1.0, np.nan]))

    def drawing(draws):
        @builtin(category="Tests")
        def op(x: Array["N"]) -> None:
            """Draws."""
            draws(x)

        op.samples(samples)
        return outcome(op, "known answers")

    def bars(x, factor=1.0):
        show(Bars(tuple((factor * stop_gradient(x)).tolist())))

    assert drawing(bars).status == "passed"
    assert "it draws nothing, but Bars(values=(1.0, nan)" in drawing(lambda x: None).message
    assert "it draws Bars(values=(1.01," in drawing(lambda x: bars(x, 1.01)).message
    assert "it raises TapeError" in drawing(lambda x: show(Bars(tuple(x.tolist())))).message


def test_known_answers_tell_0_from_minus_0():
    def samples(draw):
        yield draw.known("zero", np.array([0.0]), np.array([-0.0]))

    assert "other signs of 0" in outcome(doubled(samples), "known answers").message
    assert outcome(doubled(samples, lambda x: x * 2 + 0.0), "known answers").status == "passed"


def test_what_must_be_refused_is_tried_on_rule_and_definition():
    def refuses(x):
        if np.any(x < 0):
            raise InputError("op: x must be at least 0")
        return x * 2.0

    def samples(draw):
        yield draw.positive(3)
        yield draw.refused("a negative entry", np.array([-1.0]))

    def unchecked(x):
        return x * 2.0, lambda g: (g * 2.0,)

    assert outcome(doubled(samples, refuses), "errors").status == "passed"
    for op, words in (
        (doubled(samples), "with a negative entry, it returns a value, where an error is expected"),
        (doubled(samples, refuses, unchecked), "with a negative entry, it returns a value"),
        (
            doubled(samples, rule=lambda x: (refuses(x), lambda g: (g * 2.0,))),
            "with a negative entry, in its definition, it returns a value",
        ),
    ):
        assert words in outcome(op, "errors").message


def test_the_words_of_a_refusal_can_be_told():
    def refuses(x):
        if np.any(x < 0):
            raise InputError("op: x must be at least 0")
        return x * 2.0

    def samples(draw):
        yield draw.positive(3)
        yield draw.refused("a negative entry", np.array([-1.0])).saying("at least 1")

    found = outcome(doubled(samples, refuses), "errors").message
    assert "with a negative entry, the error does not say 'at least 1': op: x must be at least 0" in found


def test_what_numpy_refuses_is_no_message_of_the_ops_own():
    def samples(draw):
        yield draw.normal(4)
        yield draw.refused("another number of entries", np.zeros(3))

    found = outcome(doubled(samples, lambda x: np.reshape(x, (2, 2)).ravel() * 2.0), "errors")
    assert "with another number of entries, the error is not its own, but ValueError: cannot reshape" in found.message


def test_a_warning_of_the_definition_is_refuted_too():
    def noisy(x):
        np.log(np.zeros(1))
        return x * 2.0

    quiet = doubled(None, noisy, lambda x: (x * 2.0, lambda g: (g * 2.0,)))
    assert "divide by zero" in outcome(quiet, "warnings").message


def test_a_pullback_that_writes_into_what_it_returned_is_refuted():
    def reusing(x):
        kept = np.empty_like(x)
        return x * 2.0, lambda g: (np.multiply(g, 2.0, out=kept),)

    again = doubled(None, lambda x: x * 2.0, reusing)
    assert "calling its pullback again changes the gradients" in outcome(again, "own memory").message


def test_a_gradient_without_a_cotangent_is_0_even_where_the_slope_is_infinite():
    """The call sees to it, so that a rule need not; one that gives a number where 0 is due is refuted."""

    def samples(draw):
        yield draw.edge("zeros", np.zeros(6))

    def slope(x):
        with np.errstate(divide="ignore"):
            return 0.5 / np.sqrt(x)

    def only_edge(pullback):
        op = doubled(samples, np.sqrt, lambda x: (np.sqrt(x), lambda g: (pullback(g, slope(x)),)))
        return run(CHECKS["pullback"], Subject(op, [s for s in samples_of(op) if s.is_edge]))

    assert only_edge(lambda g, slope: g * slope).status == "passed"
    assert only_edge(lambda g, slope: g * 0 + 0.1).status == "failed"


def test_an_integer_result_is_refuted():
    @builtin(category="Tests")
    def counted(n: int) -> Array["N"]:
        """Counts."""
        return np.arange(n)

    counted.samples(lambda draw: [3])

    assert "expected floating-point numbers, got dtype int" in outcome(counted, "definition").message


def test_whatever_an_op_raises_on_samples_is_a_failure_and_ends_nothing():
    def broken(x):
        raise KeyError("lost")

    op = doubled(None, broken)
    assert "it raises KeyError" in outcome(op, "definition").message

    def samples(draw):
        raise RuntimeError("no numbers today")

    with pytest.raises(AssertionError, match="samples raises RuntimeError: no numbers today"):
        check(doubled(samples))


def test_arrays_without_axes_keep_them_off_in_every_layout():
    op = doubled(None)

    @builtin(category="Tests")
    def scaled(x: Array["..."]) -> Array["..."]:
        """Doubles."""
        return x * 2.0

    scaled.samples(lambda draw: [np.asarray(draw.normal())])

    for each in (op, scaled):
        assert outcome(each, "layouts").status == "passed"


def test_the_gradient_of_a_number_is_checked_as_that_of_an_array_is():
    def rule(x, by):
        kept = x.copy()
        return x * by, lambda g: (g * by, 1.01 * np.sum(g * kept))

    @builtin(category="Tests")
    def stretched(x: Array["N"], by: float) -> Array["N"]:
        """Stretches."""
        return x * by

    assert outcome(stretched, "differences").status == "passed"
    stretched.defvjp(rule)
    assert "gradient of argument 2 (by): the rule's differs by 1.0e-02" in outcome(stretched, "rule gradient").message

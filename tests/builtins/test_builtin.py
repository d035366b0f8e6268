"""Declaring builtins, calling them, and what their rules are held to."""

from collections.abc import Callable
from typing import Any, Literal, TypedDict

import numpy as np
import pytest

from opbook import Array, Int, Mask, builtin, grad, vjp
from opbook.errors import ArgumentError, DeclarationError, DTypeError, InputError, RuleError, ShapeError, TapeError


# The note explains *why*.
#
#     indented
@builtin(category="Tests", aliases=["times"])
def scaled(x: Array["... D"], by: Array["D"], *, power: int = 1, note: str | None = None) -> Array["... D"]:
    """Multiplies the columns of x
    by a factor.

    More about it.

    Args:
        x: The rows.
        by: The factors,
            one a column.
        power: How often.

    Returns:
        The product.

    Source:
        None.
    """
    return x * by**power


@scaled.defvjp
def _(x, by, *, power=1, note=None):
    factor = by**power

    def pullback(g):
        rows = tuple(range(g.ndim - 1))
        return g * factor, (g * x * power * by ** (power - 1)).sum(axis=rows)

    return x * factor, pullback


def test_everything_is_derived_from_the_function():
    assert str(scaled.call_shapes[0]) == "scaled(x, by, [power=], [note=])"
    assert scaled.summary == "Multiplies the columns of x by a factor."
    assert scaled.doc.description == "More about it."
    assert scaled.doc.sections["Returns"] == "The product."
    assert scaled.note == "The note explains *why*.\n\n    indented"
    assert [p.doc for p in scaled.call_shapes[0].params] == [
        "The rows.",
        "The factors, one a column.",
        "How often.",
        "",
    ]
    assert [p.spec.words() for p in scaled.call_shapes[0].params] == [
        "(..., D) array",
        "(D,) vector",
        "integer",
        "text",
    ]
    assert scaled.aliases == ("times",)
    assert scaled.source_file == __file__
    assert repr(scaled) == "<builtin scaled(x, by, [power=], [note=])>"


def test_a_call_runs_the_rule_and_the_definition_stays_at_hand():
    assert scaled([[1, 2]], [3, 4], power=2).tolist() == [[9, 32]]
    assert scaled(by=[3, 4], x=[1, 2]).tolist() == [3, 8]
    assert scaled.definition(2.0, 3.0) == 6


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes_are_kept_also_with_numpy_scalars_about(dtype):
    @builtin(category="Tests")
    def shifted(x: Array["..."], by: Array["..."], *, eps: float = 0.0) -> Array["..."]:
        """Adds."""
        assert x.dtype == by.dtype == np.float64
        return x + by + eps

    x = np.ones(3, dtype)
    assert scaled(x, x).dtype == dtype
    assert shifted(x, np.float64(2.0), eps=np.float64(1.0)).dtype == dtype
    assert shifted(x, 2).dtype == dtype
    dx, dby = vjp(shifted, x, np.float64(2.0))[1](np.ones(3))
    assert (dx.dtype, dby.dtype) == (dtype, np.float64)


def test_halves_are_computed_in_single_and_rounded_once():
    @builtin(category="Tests")
    def rms(x: Array["N"]) -> Array[""]:
        """The root of the mean square."""
        return np.sqrt((x * x).mean())

    @rms.defvjp
    def _(x):
        assert x.dtype == np.float32
        value = np.sqrt((x * x).mean())
        normed = x / value / len(x)
        return value, lambda g: (g * normed,)

    value, pullback = vjp(rms, np.array([300.0, 300.0], np.float16))  # the squares are beyond float16
    assert (value, value.dtype) == (300, np.float16)
    (gradient,) = pullback(1.0)
    assert (gradient.tolist(), gradient.dtype) == ([0.5, 0.5], np.float16)
    assert scaled(np.float16([300]), np.float16([300])).tolist() == [np.inf]  # without a warning


def test_integers_become_float64_and_lists_come_back_as_lists():
    value, pullback = vjp(scaled, [1, 2], np.array([3, 4]))
    assert value.dtype == np.float64
    dx, dby = pullback([1, 1])
    assert dx == [3, 4]
    assert dby.tolist() == [1, 2]


def test_on_a_tape_a_builtin_is_one_step_among_others():
    x, by = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([2.0, 3.0])
    dx = grad(lambda x: (scaled(x * 2, by) ** 2).sum())(x)
    np.testing.assert_allclose(dx, 8 * x * by**2)


def test_a_keyword_that_is_differentiated_goes_through_the_definition():
    @builtin(category="Tests")
    def leaky(x: Array["..."], *, slope: float = 0.1, bias: Array["..."] | None = None) -> Array["..."]:
        """Scales the negative part."""
        y = np.where(x > 0, x, slope * x)
        return y if bias is None else y + bias

    @leaky.defvjp
    def _(x, *, slope=0.1, bias=None):
        return leaky.definition(x, slope=slope, bias=bias), lambda g: (np.where(x > 0, g, slope * g),)

    assert grad(lambda s: leaky(np.array([-2.0, 1.0]), slope=s).sum())(0.5) == -2
    assert grad(lambda b: leaky(np.array([-2.0, 1.0]), bias=b).sum())(np.zeros(2)).tolist() == [1, 1]


def test_second_derivatives_use_the_definition_and_rules_refuse():
    assert grad(grad(lambda x: scaled(x[None], np.array([3.0]), power=2).sum() ** 2))(1.0) == 162
    _, pullback = vjp(scaled, np.ones(2), np.ones(2))
    with pytest.raises(TapeError, match="scaled: the pullback of its rule can't be differentiated"):
        grad(lambda g: pullback(g)[0].sum())(np.ones(2))


class Pair(TypedDict):
    left: Array["N"]
    right: Array["N"]


def test_fields_of_a_gradient_or_a_cotangent_may_come_in_any_order():
    @builtin(category="Tests")
    def apart(pair: Pair) -> Pair:
        """Doubles the left part and triples the right one."""
        return {"left": 2.0 * pair["left"], "right": 3.0 * pair["right"]}

    @apart.defvjp
    def _(pair):
        value = {"left": 2.0 * pair["left"], "right": 3.0 * pair["right"]}
        return value, lambda g: ({"right": 3.0 * g["right"], "left": 2.0 * g["left"]},)

    _, pullback = vjp(apart, {"left": np.ones(2), "right": np.ones(2)})
    for g in ({"left": [1.0, 0], "right": [0, 1.0]}, {"right": [0, 1.0], "left": [1.0, 0]}):
        (found,) = pullback({name: np.array(part) for name, part in g.items()})
        assert {name: part.tolist() for name, part in found.items()} == {"left": [2, 0], "right": [0, 3]}


def test_records_and_tuples_of_records():
    @builtin(category="Tests")
    def total(pairs: tuple[Pair, ...], count: int) -> Array[""]:
        """Adds up the products."""
        return sum((p["left"] * p["right"]).sum() for p in pairs)

    pairs = ({"right": [1, 2], "left": [3, 4]}, {"left": [5], "right": [6]})
    assert total(pairs, 2) == 41
    _, pullback = vjp(total, pairs, 2)
    gradients, of_count = pullback(1.0)
    assert gradients == ({"right": [3, 4], "left": [1, 2]}, {"left": [6], "right": [5]})
    assert of_count == 0
    with pytest.raises(ShapeError, match=r"pairs\[1\].right has 3 entries but pairs\[1\].left has 2"):
        total((pairs[0], {"left": [1, 2], "right": [1, 2, 3]}), 2)


def test_overloads_go_to_the_first_that_fits():
    @builtin(category="Tests")
    def filled(n: int) -> Array["n"]:
        """Ones."""
        return np.ones(n)

    @filled.overload
    def _(rows: int, columns: int) -> Array["rows columns"]:
        """Ones in a rectangle."""
        return np.ones((rows, columns))

    @filled.overload
    def scaled_ones(like: Array["N"]) -> Array["N"]:
        """Ones of another array's length, times 2."""
        return like * 0 + 2

    scaled_ones.defvjp(lambda like: (like * 0 + 2, lambda g: (g * 7,)))
    assert [filled(2).shape, filled(2, 3).shape] == [(2,), (2, 3)]
    assert [str(s) for s in filled.call_shapes] == ["filled(n)", "filled(rows, columns)", "filled(like)"]
    assert vjp(filled, np.ones(2))[1](np.ones(2))[0].tolist() == [7, 7]
    with pytest.raises(ArgumentError, match=r"none of its call shapes.*filled\(n\).*filled\(rows, columns\)"):
        filled("three")


def test_of_overloads_that_refuse_a_call_the_one_that_takes_most_of_it_says_why():
    @builtin(category="Tests")
    def scaled(x: Array["N M"], *, by: Int["", "1:"] | Int["2", "1:"] | Literal["mean"] = 1, how: int) -> Array["N M"]:
        """A matrix."""
        return x

    @scaled.overload
    def _(x: Array["N"], *, by: Int["", "1:"] = 1, how: int) -> Array["N"]:
        """A row."""
        return x

    def said(*args, **kwargs):
        with pytest.raises((ArgumentError, InputError)) as caught:
            scaled(*args, **kwargs)
        return str(caught.value)

    x = np.ones((2, 3))
    wanted = 'scaled: by must be a whole number, at least 1, or (2,) vector of whole numbers, at least 1, or "mean"'
    assert said(x, by=0, how=1) == f"{wanted}, but is 0"
    assert said(x, by=[0, 1], how=1) == f"{wanted}, but is [0, 1]"
    assert said(x, by=10**5000, how=1) == f"{wanted}, but is an integer of 16610 bits"
    assert said(x, by=None, how=1) == f"{wanted}, but is None"
    assert said(x, by="mode", how=1) == "scaled: by must be \"mean\", but is 'mode'."
    assert said(x, size=2) == "scaled: has no argument size. Call it as scaled(x, [by=], how=)"
    assert said(x, 2) == "scaled: takes at most 1 positional argument, but got 2. Call it as scaled(x, [by=], how=)"
    assert said(np.ones((2, 3, 4)), how=1).startswith("scaled: the arguments fit none of its call shapes. scaled(x, ")


def test_an_integer_that_python_does_not_write_out_is_refused_in_an_array():
    @builtin(category="Tests")
    def same(x: Array["..."]) -> Array["..."]:
        """The same."""
        return x

    with pytest.raises(DTypeError, match=r"got dtype object \(list with thousands of digits\)$"):
        same([1, 10**5000])


def test_structured_values():
    @builtin(category="Tests")
    def divided(x: Array["..."]) -> Any:
        """The value and its half."""
        return {"all": x, "half": x / 2}

    value, pullback = vjp(lambda x: divided(x)["half"] * 3, np.array([4.0]))
    assert value.tolist() == [6]
    assert pullback([1.0])[0].tolist() == [1.5]


def bad_rule(returned):
    @builtin(category="Tests")
    def op(x: Array["N"], mask: Mask["N"] | None = None, *, eps: float = 0) -> Array["N"]:
        """Does nothing."""
        return x * 1

    @op.defvjp
    def _(x, mask=None, *, eps=0):
        return x * 1, lambda g: returned

    return vjp(op, np.ones(2))[1](np.ones(2))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (np.ones(2), ["a tuple of 2 gradients (x, mask)", "returned an ndarray"]),
        ((np.ones(2),), ["2 gradients", "returned 1 gradient"]),
        ((None, None), ["gradient of argument 1 (x)", "shape (2,)", "None"]),
        ((np.ones((2, 1)), None), ["gradient of argument 1 (x)", "shape (2,)", "(2, 1)"]),
        (({"x": np.ones(2)}, None), ["argument 1 (x)", "x.x"]),
    ],
)
def test_a_rule_that_breaks_its_contract_is_told_so(returned, words):
    with pytest.raises(RuleError, match=r"^op: ") as caught:
        bad_rule(returned)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def declare(definition: Callable[..., Any]) -> Any:
    return builtin(category="Tests")(definition)


def test_declarations_that_are_wrong_say_how_to_mend_them():
    with pytest.raises(DeclarationError, match="nothing needs a docstring"):

        @declare
        def nothing(x: Array["N"]) -> Array["N"]:
            return x

    with pytest.raises(DeclarationError, match="plain: x has no annotation"):

        @declare
        def plain(x) -> Array["N"]:
            """Does."""

    with pytest.raises(DeclarationError, match="plain: the result has no annotation; write for example -> Array"):

        @declare
        def plain(x: Array["N"]):
            """Does."""

    with pytest.raises(DeclarationError, match=r"'N,' is no dimension.*spaces"):

        @declare
        def dims(x: Array["N, D"]) -> Array["N"]:
            """Does."""

    with pytest.raises(DeclarationError, match=r"variadic.*take a tuple"):

        @declare
        def variadic(*xs: Array["N"]) -> Array["N"]:
            """Does."""

    with pytest.raises(DeclarationError, match=r"complex.*no annotation that a builtin understands"):

        @declare
        def strange(x: complex) -> Array["N"]:
            """Does."""

    with pytest.raises(DeclarationError, match="category"):
        builtin(category=lambda x: x)

    with pytest.raises(DeclarationError, match=r"rule's parameters \(x, y\) must be the definition's \(x, by"):
        declare(scaled.definition).defvjp(lambda x, y: None)

    for default in (1.01, 2, None):
        with pytest.raises(DeclarationError, match=rf"rule's default of power is {default}, .* definition's, 1$"):
            declare(scaled.definition).defvjp(lambda x, by, *, power=default, note=None: None)

    with pytest.raises(DeclarationError, match=r"rule's default of power is none, .* definition's, 1$"):
        declare(scaled.definition).defvjp(lambda x, by, *, power, note=None: None)

    with pytest.raises(DeclarationError, match="has a rule already"):
        scaled.defvjp(lambda x, by, *, power=1, note=None: None)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: scaled([1]), ArgumentError, ["scaled: needs by", "scaled(x, by, [power=], [note=])"]),
        (lambda: scaled([1], [1], 2), ArgumentError, ["at most 2 positional", "got 3"]),
        (lambda: scaled([1], [1], pwoer=2), ArgumentError, ["no argument pwoer", "Did you mean power?"]),
        (lambda: scaled([1], x=[1], by=[1]), ArgumentError, ["x twice"]),
        (lambda: scaled([1], [1], power=1.5), ArgumentError, ["power must be an integer, but is 1.5"]),
        (lambda: scaled([1], [1], power=True), ArgumentError, ["power must be an integer, but is True"]),
        (lambda: scaled([[1, 2], [3]], [1]), ShapeError, ["x: its rows differ in length"]),
        (lambda: vjp(lambda x: scaled([x, [x, x]], [1]), 1.0), ShapeError, ["x: its rows differ in length"]),
        (lambda: scaled([1j], [1]), DTypeError, ["x", "complex128"]),
        (lambda: scaled(["a"], [1]), DTypeError, ["x", "expected real numbers"]),
        (lambda: scaled(3.0, [1]), ShapeError, ["x must be a (..., D) array, but has shape ()"]),
        (lambda: scaled([1, 2], [[1]]), ShapeError, ["by must be a (D,) vector, but has shape (1, 1)"]),
        (lambda: scaled([1, 2], [1]), ShapeError, ["by has 1 entry but x has 2; they must be equal (both are D)"]),
    ],
)
def test_calls_that_do_not_fit_name_the_argument_and_the_numbers(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_masks_choices_and_fixed_sizes():
    @builtin(category="Tests")
    def pick(
        x: Array["... N 3"], mask: Mask["... N 3"] | None = None, *, how: Literal["all", "some"] = "all"
    ) -> Array["... N 3"]:
        """Keeps."""
        return x if mask is None else np.where(mask, x, 0)

    assert pick(np.ones((2, 3)), [1, 0, 1]).tolist() == [[1, 0, 1]] * 2
    with pytest.raises(InputError, match=r"mask must be Boolean or 0/1 .* but has the value 0.5; .*bias="):
        pick(np.ones((2, 3)), [1, 0.5, 2])
    with pytest.raises(
        ShapeError, match=r"mask has shape \(3, 1\), which does not broadcast to \(..., N, 3\) = \(2, 3\)"
    ):
        pick(np.ones((2, 3)), [[1], [1], [0]])
    with pytest.raises(ShapeError, match=r"does not broadcast"):
        pick(np.ones((2, 3)), np.ones((5, 2, 3)))
    with pytest.raises(ShapeError, match="x has 2 columns, but must have 3"):
        pick(np.ones((2, 2)))
    with pytest.raises(InputError, match=r'how must be "all" or "some", but is \'som\'. Did you mean some?'):
        pick(np.ones((2, 3)), how="som")
    with pytest.raises(ArgumentError, match=r"how must be .* but is an array of shape \(2,\)"):
        pick(np.ones((2, 3)), how=np.ones(2))


def test_batch_axes_broadcast_or_are_refused():
    @builtin(category="Tests")
    def product(a: Array["... N K"], b: Array["... K M"]) -> Array["... N M"]:
        """Multiplies."""
        return a @ b

    value, pullback = vjp(product, np.ones((4, 1, 2, 3)), np.ones((5, 3, 6)))
    assert value.shape == (4, 5, 2, 6)
    assert [g.shape for g in pullback(value)] == [(4, 1, 2, 3), (5, 3, 6)]
    with pytest.raises(ShapeError, match=r"b has batch axes \(4,\) but a has \(5,\)"):
        product(np.ones((5, 2, 3)), np.ones((4, 3, 2)))


def test_a_number_put_into_a_plain_array_is_a_lost_gradient_and_said_to_be_one():
    def filled(x):
        y = np.zeros(2)
        y[0] = x[0]
        return y

    with pytest.raises(TapeError, match=r"float\(\) of a value on a tape would lose its gradient, also that of y\[0\]"):
        vjp(filled, np.ones(2))

    @declare
    def op(x: Array["N"]) -> Array["N"]:
        """Fills an array."""
        return filled(x)

    with pytest.raises(TapeError, match=r"op: float\(\) of a value.*np\.stack"):
        vjp(op, np.ones(2))

"""The annotation language: what each annotation takes, what errors say, and what is refused when it is declared."""

import gc
import re
import weakref
from typing import Any, NamedTuple, NotRequired, TypedDict

import numpy as np
import pytest

from opbook import Array, Bool, Int, Mask, Tree, builtin, grad, vjp
from opbook.errors import ArgumentError, DeclarationError, DTypeError, InputError, OpbookError, ShapeError


def taking(**annotations: Any) -> Any:
    """A builtin with these parameters that returns its arguments as they were converted."""
    returned = annotations.pop("returns", Any)
    names = ", ".join(annotations)
    namespace: dict[str, Any] = {}
    exec(f"def op({names}):\n    'Gives back what it gets.'\n    return ({names},)", namespace)
    namespace["op"].__annotations__ = {**annotations, "return": returned}
    return builtin(category="Tests")(namespace["op"])


def refused(op, error, words, *args):
    with pytest.raises(error) as caught:
        op(*args)
    assert str(caught.value) == f"op: {words}"


# ------------------------------------------------------------------------------------------------------- whole numbers


@pytest.mark.parametrize(
    "ids", [[0, 2], (1, 2), np.array([0, 2], np.uint8), np.array([0.0, 2.0], np.float32), np.array([0, 2], ">i4")]
)
def test_whole_numbers_become_indices(ids):
    (got,) = taking(ids=Int["N", "0:3"])(ids)
    assert got.dtype == np.intp
    assert got.tolist() == list(ids)


@pytest.mark.parametrize(
    ("ids", "what"),
    [
        ([2**64 - 1], "18446744073709551615"),
        (np.array([2**63], np.uint64), "9223372036854775808"),
        ([0, 2**70], "an integer of 71 bits"),
        ([-(2**70)], "an integer of 71 bits"),
        ([1e300], "an integer of 997 bits"),
    ],
)
def test_whole_numbers_beyond_64_bits_are_refused_and_not_wrapped(ids, what):
    words = f"ids is {what}, but whole numbers must be from -2**63 to 2**63 - 1"
    refused(taking(ids=Int["N"]), InputError, words, ids)


def test_an_option_beyond_64_bits_is_named_where_numpy_cannot_take_it():
    def op(x: Array["..."], axis: int = 0) -> Array["..."]:
        "Adds up along an axis."
        return np.sum(x, axis=axis)

    words = "axis is an integer of 100 bits, but whole numbers must be from -2**63 to 2**63 - 1"
    refused(builtin(category="Tests")(op), InputError, words, np.ones(3), 10**30)


def test_a_range_may_name_a_dimension_of_an_argument_that_comes_later():
    op = taking(ids=Int["... N", "0:V"], table=Array["V D"])
    table = np.ones((4, 2))
    assert op([[0, 3]], table)[0].tolist() == [[0, 3]]
    refused(op, InputError, "ids[1, 0] is 4, but must be at least 0 and below V = 4", [[0], [4]], table)
    refused(op, InputError, "ids[0] is -1, but must be at least 0 and below V = 4", [-1], table)
    refused(op, InputError, "ids[1] is 1.5, but must be a whole number", [0, 1.5], table)
    refused(op, InputError, "ids[0] is nan, but must be a whole number", [np.nan], table)
    message = "ids must be whole numbers, but is Boolean; np.flatnonzero tells where a mask is true"
    refused(op, DTypeError, message, [True, False], table)
    refused(
        op,
        ShapeError,
        "ids must be a (..., N) array of whole numbers, at least 0 and below V, but has shape ()",
        1,
        table,
    )


@pytest.mark.parametrize(
    ("text", "inside", "outside", "words"),
    [
        ("1:", 1, 0, "at least 1"),
        (":3", 2, 3, "below 3"),
        ("-1:N", -1, 2, "at least -1 and below N = 2"),
        ("N-1:2*N", 3, 4, "at least N-1 = 2-1 = 1 and below 2*N = 2*2 = 4"),
    ],
)
def test_ranges(text, inside, outside, words):
    op = taking(i=Int["", text], x=Array["N"])
    assert op(inside, np.ones(2))[0] == inside
    refused(op, InputError, f"i is {outside}, but must be {words}", outside, np.ones(2))


def test_booleans():
    op = taking(chosen=Bool["N"], x=Array["N"])
    assert op([1, 0], np.ones(2))[0].dtype == bool
    refused(op, InputError, "chosen must be Boolean or 0/1, but has the value 2", [2, 0], np.ones(2))
    refused(op, ShapeError, "x has 2 entries but chosen has 1; they must be equal (both are N)", [True], np.ones(2))


def test_whole_numbers_stay_plain_on_a_tape_and_have_no_gradient():
    @builtin(category="Tests")
    def rows(table: Array["V D"], ids: Int["N", "0:V"]) -> Array["N D"]:
        """Takes rows."""
        return table[ids]

    table = np.arange(6.0).reshape(3, 2)
    value, pullback = vjp(rows, table, np.array([2, 2]))
    d_table, d_ids = pullback(np.ones((2, 2)))
    assert value.tolist() == [[4, 5], [4, 5]]
    assert d_table.tolist() == [[0, 0], [0, 0], [2, 2]]
    assert d_ids is None
    assert vjp(rows, table, [2, 2])[1](np.ones((2, 2)))[0].tolist() == [[0, 0], [0, 0], [2, 2]]
    assert grad(lambda t: rows(t, [0, 1]).sum())(table).tolist() == [[1, 1], [1, 1], [0, 0]]
    assert grad(lambda t: rows(t, np.round(t[0] * 0 + 1)).sum())(table).tolist() == [[0, 0], [2, 2], [0, 0]]


# -------------------------------------------------------------------------------------------------------- named batches


def test_named_batch_axes_are_equal_and_not_broadcast():
    op = taking(logits=Array["*B C"], labels=Int["*B", "0:C"])
    logits = np.ones((2, 3, 4))
    assert op(logits, np.zeros((2, 3)))[1].shape == (2, 3)
    assert op(np.ones(4), 1)[1] == 1
    words = "labels has batch axes (1, 3) but logits has (2, 3); they must be equal (both are *B)"
    refused(op, ShapeError, words, logits, np.zeros((1, 3)))


def test_two_groups_of_batch_axes_have_nothing_to_do_with_each_other():
    op = taking(x=Array["*A N"], y=Array["*B N"])
    assert [a.shape for a in op(np.ones((2, 4)), np.ones((3, 5, 4)))] == [(2, 4), (3, 5, 4)]


# ----------------------------------------------------------------------------------------------------------- arithmetic


def test_arithmetic_is_held_to_what_other_arguments_fix_in_any_order():
    op = taking(w=Array["D 3*H"], u=Array["H 3*H"])
    op(np.ones((2, 6)), np.ones((2, 6)))
    words = "w has 7 columns, but must have 3*H = 3*2 = 6 (H is from u)"
    refused(op, ShapeError, words, np.ones((2, 7)), np.ones((2, 6)))


def test_arithmetic_alone_tells_what_its_name_is():
    op = taking(w=Array["D 3*H"], mask=Mask["H"])
    op(np.ones((2, 6)), np.ones(2))
    refused(op, ShapeError, "w has 7 columns, but must have 3*H for a whole number H", np.ones((2, 7)), np.ones(2))
    refused(op, ShapeError, "mask has shape (3,), which does not broadcast to (H,) = (2,)", np.ones((2, 6)), np.ones(3))


def test_a_product_with_a_name_of_its_own_says_the_number_that_is_known():
    op = taking(q=Array["Hk*G D"], k=Array["Hk D"])
    op(np.ones((6, 4)), np.ones((2, 4)))
    words = "q has 5 rows, but must have Hk*G = 2*G for a whole number G (Hk is from k)"
    refused(op, ShapeError, words, np.ones((5, 4)), np.ones((2, 4)))


def test_a_length_of_0_that_settles_nothing_keeps_no_array_alive():
    op, q = taking(q=Array["Hk*G D"], k=Array["Hk D"]), np.ones((0, 4))
    held = weakref.ref(q)
    gc.disable()
    try:
        op.value_and_pullback(q, np.ones((0, 4)))
        del q
        assert held() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("dim", "size", "wrong", "words"),
    [
        ("N+M", 5, 6, "N+M = 2+3 = 5 (N is from x, M is from y)"),
        ("M-N+1", 2, 3, "M-N+1 = 3-2+1 = 2 (M is from y, N is from x)"),
        ("M//2", 1, 2, "M//2 = 3//2 = 1 (M is from y)"),
        ("2*N*M", 12, 5, "2*N*M = 2*2*3 = 12 (N is from x, M is from y)"),
    ],
)
def test_sums(dim, size, wrong, words):
    op = taking(z=Array[f"... {dim}"], x=Array["N"], y=Array["M"])
    x, y = np.ones(2), np.ones(3)
    op(np.ones((4, size)), x, y)
    refused(op, ShapeError, f"z has {wrong} columns, but must have {words}", np.ones((4, wrong)), x, y)


# -------------------------------------------------------------------------------------------------------------- records


class Layer(TypedDict):
    w: Array["D K"]
    b: NotRequired[Array["K"]]


class Gates(TypedDict, total=False):
    reset: Array["H"]
    update: Array["H"] | None


class State(NamedTuple):
    h: Array["H"]
    c: Array["H"]


def test_fields_that_may_be_left_out():
    op = taking(layer=Layer)
    assert set(op({"w": np.ones((2, 3))})[0]) == {"w"}
    assert set(op({"w": np.ones((2, 3)), "b": np.ones(3)})[0]) == {"w", "b"}
    refused(op, ArgumentError, "layer has no field w; it needs w and has b", {"b": np.ones(3)})
    words = "layer.b has 2 entries but layer.w has 3 columns; they must be equal (both are K)"
    refused(op, ShapeError, words, {"w": np.ones((2, 3)), "b": np.ones(2)})
    gates = taking(gates=Gates)
    assert gates({}) == ({},)
    assert gates({"update": None})[0] == {"update": None}
    assert "reset (H,) vector (may be left out)" in gates.call_shapes[0].params[0].spec.words()


def test_a_dimension_of_a_record_holds_outside_and_that_of_several_records_does_not():
    one = taking(layer=Layer, x=Array["K"])
    one({"w": np.ones((2, 3))}, np.ones(3))
    words = "x has 4 entries but layer.w has 3 columns; they must be equal (both are K)"
    refused(one, ShapeError, words, {"w": np.ones((2, 3))}, np.ones(4))
    several = taking(layers=tuple[Layer, ...], named=dict[str, Layer])
    several(
        ({"w": np.ones((2, 3))}, {"w": np.ones((2, 5))}), {"a": {"w": np.ones((4, 3))}, "b": {"w": np.ones((2, 1))}}
    )


def test_a_named_tuple_is_one():
    op = taking(state=State)
    (got,) = op((np.ones(2), np.zeros(2)))
    assert type(got) is State
    words = "state.c has 3 entries but state.h has 2; they must be equal (both are H)"
    refused(op, ShapeError, words, (np.ones(2), np.ones(3)))


def test_dictionaries_of_arrays():
    op = taking(weights=dict[str, Array["..."]])
    assert op({"a": [1, 2], "b": 3})[0]["a"].tolist() == [1, 2]
    refused(op, ArgumentError, "weights must be a dictionary, but is [1]", [1])
    refused(op, ArgumentError, "weights must have texts as its keys, but has 1", {1: 2.0})


def test_trees_of_one_name_have_one_shape():
    op = taking(params=Tree["P"], grads=Tree["P"], other=Tree)
    params = {"w": np.ones((2, 3)), "layers": [np.ones(3), (np.ones(2),)]}
    got, _, other = op(params, {"layers": [np.ones(3), (np.ones(2),)], "w": np.ones((2, 3))}, 3)
    assert got["layers"][1][0].tolist() == [1, 1]
    assert other == 3.0
    words = "grads.layers[0] has shape (4,) but params.layers[0] has (3,); they must be equal (both are P)"
    refused(op, ShapeError, words, params, {"w": np.ones((2, 3)), "layers": [np.ones(4), (np.ones(2),)]}, 1)
    words = "grads must be built as params is (params.w, params.layers[0], params.layers[1][0]), but has grads.w"
    refused(op, ArgumentError, words, params, {"w": np.ones((2, 3))}, 1)
    refused(op, ArgumentError, "other.b must be an array, but is None", params, params, {"b": None})


# --------------------------------------------------------------------------------------------------------------- unions


def test_unions_take_the_first_that_fits():
    op = taking(x=Array["N"], scale=Array["N"] | float, size=int | tuple[int, int], how=Array["N"] | None)
    x = np.ones(3)
    got = op(x, 2, (1, 2), None)
    assert (got[1], got[2], got[3]) == (2.0, (1, 2), None)
    assert op(x, [1, 2, 3], 4, x)[1].tolist() == [1, 2, 3]
    words = "scale has 2 entries but x has 3; they must be equal (both are N)"
    refused(op, ShapeError, words, x, [1, 2], 1, None)
    refused(op, ArgumentError, "scale must be a (N,) vector, or number, but is 'wide'", x, "wide", 1, None)
    refused(
        op, ArgumentError, "size must be an integer, or tuple of integer, integer, but is 'wide'", x, 1, "wide", None
    )


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (lambda: Array["N ..."], "'...' is no dimension"),
        (lambda: Array["N *B"], "'*B' is no dimension"),
        (lambda: Array["2D"], "'2D' is no dimension: write a name, a number, or arithmetic with +, -, * and //"),
        (lambda: Array["D/2"], "'D/2' is no dimension"),
        (lambda: Array["f(D)"], "'f(D)' is no dimension"),
        (lambda: Int["N", "0-3"], "'0-3' is no range of whole numbers: write it as a slice"),
        (lambda: Tree["a b"], "the name of a tree is a word"),
        (lambda: dict[int, Array["N"]], "the keys of a dictionary must be texts"),
        (lambda: tuple[()], "write tuple[X, ...] for any number of X"),
        (lambda: Array, 'Array needs its dimensions: write for example Array["... N"]'),
        (lambda: set[int], "is no annotation that a builtin understands: use Array["),
    ],
)
def test_what_cannot_be_said_is_refused_when_it_is_declared(annotation, words):
    with pytest.raises(DeclarationError, match=re.escape(words)):
        taking(x=annotation())


@pytest.mark.parametrize(
    ("annotations", "words"),
    [
        ({"ids": Int["N", "0:V"]}, "op: ids: no argument says what V is; give one the dimension V by itself"),
        ({"x": Array["N+M"]}, "op: x: no argument says what N is, which N+M needs; give one the dimension N by itself"),
        ({"x": Array["D//2"]}, "op: x: no argument says what D is, which D//2 needs"),
        ({"x": Array["N"], "mask": Mask["N M"]}, "op: mask: no argument says what M is"),
        ({"x": Array["N"], "returns": Array["N+M"]}, "op: the result: no argument says what M is, which N+M needs"),
        ({"layers": tuple[Layer, ...], "ids": Int["N", "0:K"]}, "op: ids: no argument says what K is"),
    ],
)
def test_a_dimension_that_no_argument_tells_is_refused_when_it_is_declared(annotations, words):
    with pytest.raises(DeclarationError, match=re.escape(words)):
        taking(**annotations)


def test_every_message_is_an_error_of_ours():
    op = taking(ids=Int["*B N", "0:V"], table=Array["V 2*D"], state=State, tree=Tree)
    good = [0, 1], np.ones((2, 4)), (np.ones(2), np.ones(2)), {"a": 1.0}
    op(*good)
    messages = []
    for place in range(4):
        for bad in (None, "text", 1j, [[1], [2, 3]], object(), {"a": object()}, np.ma.array([1.0]), np.inf):
            args = [*good[:place], bad, *good[place + 1 :]]
            try:
                op(*args)
            except OpbookError as error:
                messages.append(str(error))
    assert len(messages) > 20
    assert all(message.startswith("op: ") for message in messages)

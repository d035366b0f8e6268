"""Call shapes in words: what a page says of annotations."""

from checks import field_ops as ops

from opbook.pages.calls import describe
from opbook.pages.gradients import gradient_of


def inputs(op):
    return {one.name: one for one in describe(op.call_shapes[0]).inputs}


def test_whole_numbers_batch_axes_and_sums():
    assert inputs(ops.embedding)["ids"].brief == "(*B, N) whole numbers"
    assert inputs(ops.embedding)["ids"].shape == "(*B, N) array of whole numbers, at least 0 and below V"
    assert describe(ops.argmax.call_shapes[0]).output.shape == "(*B,) array of whole numbers, at least 0 and below N"
    assert describe(ops.is_close.call_shapes[0]).output.shape == "array of any shape of Booleans"
    assert describe(ops.correlate.call_shapes[0]).output.shape == "(L-K+1,) vector"


def test_fields_of_arguments_and_of_results():
    weights = {field.path: field.shape for field in inputs(ops.gru_cell)["weights"].fields}
    assert weights["weights.u"] == "(H, 3*H) matrix"
    assert weights["weights.b"] == "(3*H,) vector, may be left out"
    output = describe(ops.gru_cell.call_shapes[0]).output
    assert [(field.path, field.shape) for field in output.fields] == [
        ("result.h", "(N, H) matrix"),
        ("result.kept", "(N, H) matrix"),
    ]
    assert "built as the value is, with `h` and `kept`" in gradient_of(ops.gru_cell, "").words


def test_unions_and_trees():
    assert inputs(ops.shifted)["by"].shape == "(D,) vector, or number"
    assert inputs(ops.sgd_step)["params"].shape == "tree of arrays built as P"
    assert gradient_of(ops.sgd_step, "").call.startswith("value, pullback = vjp(sgd_step, params, grads)")
    assert gradient_of(ops.argmax, "").call == ""

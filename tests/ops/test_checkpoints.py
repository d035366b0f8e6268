"""Records from state dicts: what is refused, and in which words. That the numbers are right, tests/peers shows."""

import numpy as np
import pytest
from opbook_checkpoints import block_from_torch, gru_from_torch, heads_from_torch, lstm_from_torch, split_heads

from opbook.errors import ArgumentError, InputError, ShapeError

ATTENTION = {"in_proj_weight": (12, 4), "in_proj_bias": (12,), "out_proj.weight": (4, 4), "out_proj.bias": (4,)}
BLOCK = {f"self_attn.{name}": shape for name, shape in ATTENTION.items()}
BLOCK |= {"linear1.weight": (6, 4), "linear1.bias": (6,), "linear2.weight": (4, 6), "linear2.bias": (4,)}
BLOCK |= {f"norm{i}.{kind}": (4,) for i in (1, 2) for kind in ("weight", "bias")}
GRU = {"weight_ih_l0": (15, 3), "weight_hh_l0": (15, 5), "bias_ih_l0": (15,), "bias_hh_l0": (15,)}
LSTM = {"weight_ih_l0": (20, 3), "weight_hh_l0": (20, 5), "bias_ih_l0": (20,), "bias_hh_l0": (20,)}


def state(shapes, **changes):
    """Arrays of some shapes, but for a few names that another array takes, or none."""
    arrays = {name: np.arange(np.prod(shape), dtype=float).reshape(shape) for name, shape in shapes.items()}
    return {name: array for name, array in (arrays | changes).items() if array is not None}


def test_heads_are_cut_out_of_the_columns_and_out_of_the_rows_of_wo():
    w = np.arange(12.0).reshape(2, 6)
    first, second, third = split_heads({"wq": w, "bq": w[0], "wo": w.T}, 3)
    assert (first["wq"].tolist(), first["bq"].tolist()) == ([[0, 1], [6, 7]], [0, 1])
    assert (second["wq"].tolist(), second["wo"].tolist()) == ([[2, 3], [8, 9]], [[2, 8], [3, 9]])
    assert third["bq"].tolist() == [4, 5]


def test_the_rows_of_packed_matrices_are_the_gates():
    packed = state(LSTM)
    weights = lstm_from_torch(packed)
    assert np.array_equal(weights["wf"], packed["weight_ih_l0"][5:10].T)
    assert np.array_equal(weights["bo"], 2 * np.arange(15, 20))
    weights = gru_from_torch(packed | {"weight_ih_l1": np.ones((15, 5)), "weight_hh_l1": np.ones((15, 5))}, "l1")
    assert sorted(weights) == ["un", "ur", "uz", "wn", "wr", "wz"]


def test_a_layer_of_a_model_is_named_by_its_prefix():
    model = {f"encoder.{i}.{name}": array + i for i in (0, 1) for name, array in state(BLOCK).items()}
    weights = block_from_torch(model, 2, prefix="encoder.1.")
    assert weights["b1"].tolist() == [1, 2, 3, 4, 5, 6]
    assert weights["heads"][1]["bk"].tolist() == [7, 8]


def test_float32_stays_so_where_zeros_are_filled_in():
    weights = {name: np.ones(shape, np.float32) for name, shape in BLOCK.items() if not name.endswith("bias")}
    record = block_from_torch(weights, 2)
    assert record["b1"].dtype == record["ln2_beta"].dtype == np.float32
    assert "bo" not in record


@pytest.mark.parametrize(
    ("convert", "arrays", "message"),
    [
        (
            lambda s: heads_from_torch(s, 2),
            state(ATTENTION, **{"out_proj.weight": None}),
            "heads_from_torch: the state dict has no out_proj.weight. It has in_proj_weight, "
            "in_proj_bias, out_proj.bias",
        ),
        (
            lambda s: heads_from_torch(s, 2),
            {f"layers.0.{name}": array for name, array in state(ATTENTION).items()},
            "heads_from_torch: the state dict has no in_proj_weight, nor 1 more that belong to it. It has "
            "layers.0.in_proj_weight: write prefix='layers.0.'",
        ),
        (
            lambda s: heads_from_torch(s, 2),
            state(ATTENTION, bias_k=np.ones((1, 1, 4))),
            "heads_from_torch: there is no place for bias_k among the builtin's weights; it reads in_proj_weight, "
            "out_proj.weight, in_proj_bias, out_proj.bias. Where the state dict holds more than this layer, name the "
            "layer with prefix=",
        ),
        (
            lambda s: heads_from_torch(s, 2),
            state(ATTENTION, in_proj_weight=np.ones((4, 12))),
            "heads_from_torch: in_proj_weight must have the shape (12, 4) here, but has (4, 12)",
        ),
        (
            lambda s: heads_from_torch(s, 3),
            state(ATTENTION),
            "split_heads: wq has the shape (4, 4), and 4 can't be cut into 3 equal heads",
        ),
        (
            lambda s: block_from_torch(s, 2),
            state(BLOCK, **{"linear2.bias": None}),
            "block_from_torch: the state dict has no linear2.bias. It has linear1.weight, "
            "linear1.bias, linear2.weight, ...",
        ),
        (
            lambda s: block_from_torch(s, 2),
            state(BLOCK, **{"linear2.weight": np.ones((6, 4))}),
            "block_from_torch: linear2.weight must have the shape (4, 6) here, but has (6, 4)",
        ),
        (
            gru_from_torch,
            state(LSTM),
            "gru_from_torch: weight_ih_l0 must have the shape (15, 3) here, but has (20, 3)",
        ),
        (
            lambda s: lstm_from_torch(s, "l1"),
            state(LSTM),
            "lstm_from_torch: the state dict has no weight_ih_l1, nor 1 more that belong to it. It has "
            "nothing of that layer",
        ),
        (
            lstm_from_torch,
            state(LSTM, weight_hr_l0=np.ones((2, 5))),
            "lstm_from_torch: there is no place for weight_hr_l0 among the builtin's weights; it reads weight_ih_l0, "
            "weight_hh_l0, bias_ih_l0, bias_hh_l0. Where the state dict holds more than this layer, name the layer "
            "with prefix=",
        ),
    ],
)
def test_refusals(convert, arrays, message):
    with pytest.raises((ArgumentError, ShapeError)) as caught:
        convert(arrays)
    assert str(caught.value) == message


def test_what_numpy_cannot_read_is_named():
    class Foreign:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("Got unsupported ScalarType BFloat16")

    with pytest.raises(InputError, match=r"NumPy can't read weight_ih_l0: Got unsupported ScalarType BFloat16\. Write"):
        lstm_from_torch(state(LSTM, weight_ih_l0=Foreign()))

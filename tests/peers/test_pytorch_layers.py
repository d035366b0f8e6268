"""Values and gradients of the normalizations, activations, reductions and linear layers against PyTorch in float64."""

import numpy as np
import pytest
from ops.transformer_inputs import draw

from opbook import ops, vjp
from opbook.autodiff import tree

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

from peers import pytorch  # noqa: E402

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths"),  # it is slow, says PyTorch
]

FAR = np.array([-1000.0, -30.0, -1e-9, -0.0, 0.0, 1e-9, 30.0, 1000.0])
"""Where exponentials overflow, digits get lost, and kinks are."""

FLAGS = (False, True)
ROWS = draw(2, 3, 5, 6)
COLUMN = {"w_gate": draw(6, 7, seed=1), "w_up": draw(6, 7, seed=2), "w_down": draw(7, 6, seed=3)}

CASES = [
    *(("rms_norm", (x, draw(6, seed=1)), {"eps": eps}) for x in (ROWS, ROWS[0, 0, 0], 0 * ROWS) for eps in (1e-5, 0.1)),
    *(("group_norm", (draw(2, 3, 6, 5), draw(6), draw(6, seed=1), n), {"eps": 1e-3}) for n in (1, 2, 3, 6)),
    *(
        ("batch_norm", (x, draw(6), draw(6, seed=1), draw(6, seed=2), np.exp(draw(6, seed=3))), options)
        for x in (ROWS, ROWS[0, 0])
        for options in (
            {},
            {"eps": 0.1},
            {"training": True, "momentum": 0.3},
            {"training": True, "eps": 0.1, "running": "biased"},
        )
    ),
    ("einsum", ("ij,jk->ik", (draw(3, 4), draw(4, 5))), {}),
    ("einsum", ("...ij,...jk->...ik", (draw(2, 1, 3, 4), draw(5, 4, 6))), {}),
    ("einsum", ("iij,jk,k->i", (draw(3, 3, 4), draw(4, 5), draw(5))), {}),
    ("einsum", ("ij->", (draw(3, 4),)), {}),
    ("dropout", (ROWS, draw(5, 6, seed=4) > 0), {"rate": 0.3}),
    *((name, (x,), {}) for name in ("silu", "leaky_relu", "elu", "log_sigmoid") for x in (ROWS, FAR)),
    *(("silu", (x,), {"beta": 1.7}) for x in (ROWS, FAR)),
    *(("leaky_relu", (x,), {"slope": 0.3}) for x in (ROWS, FAR)),
    *(("elu", (x,), {"alpha": 0.7}) for x in (ROWS, FAR)),
    *(("logsumexp", (300 * ROWS, axis), {"keepdims": keep}) for axis in (-1, 1, None) for keep in FLAGS),
    *(("norm", (ROWS, axis), {"keepdims": keep}) for axis in (-1, 1, None) for keep in FLAGS),
    ("norm", (np.stack([0 * ROWS, ROWS]), -1), {}),
    *(("sort", (x, axis), {}) for x in (ROWS, np.round(2 * ROWS)) for axis in (-1, 1)),
    *(("cumsum", (ROWS, axis), {"exclusive": e, "reverse": r}) for axis in (-1, 1) for e in FLAGS for r in FLAGS),
    *(
        ("conv2d", (ROWS, draw(6, 3 // groups, 2, 3), draw(6, seed=1)), {"groups": groups, **options})
        for groups in (1, 3)
        for options in (
            {},
            {"stride": (2, 1), "padding": (1, 2)},
            {"padding": "same"},
            {"padding": 2, "dilation": (3, 2)},
        )
    ),
    ("conv2d", (draw(2, 3, 2, 7, 8), draw(4, 2, 3, 3)), {"stride": 2}),
    *(
        ("conv2d", (draw(2, 4, 9), draw(6, 2, 3), draw(6, seed=1)), {"groups": 2, **options})
        for options in ({"stride": 2, "padding": 1}, {"padding": "same", "dilation": 2})
    ),
    *(
        (op, (ROWS, size), options)
        for op in ("max_pool", "avg_pool")
        for size in (2, [3, 2])
        for options in ({}, {"stride": (1, 2)}, {"stride": 2, "padding": 1})
    ),
    ("avg_pool", (ROWS, 3), {"stride": 2, "padding": 1, "count_padding": False}),
    *(("linear", (x, draw(6, 4), draw(4)), {}) for x in (ROWS, ROWS[0, 0, 0])),
    ("linear", (ROWS, draw(6, 4)), {}),
    *(
        ("grouped_query_attention", (draw(*b, 6, 5, 4), draw(*b, h, 5, 4, seed=1), draw(*b, h, 5, 7, seed=2)), options)
        for b in ((2,), (2, 3))
        for h in (1, 2, 6)
        for options in ({}, {"causal": True})
    ),
    ("append_to_cache", ({"k": draw(2, 3, 5, 4), "v": draw(2, 3, 5, 7)}, draw(2, 3, 2, 4), draw(2, 3, 2, 7)), {}),
    *(("swiglu", (x, COLUMN), {}) for x in (ROWS, ROWS[0, 0, 0], 100 * ROWS)),
]


@pytest.mark.parametrize(("op", "args", "kwargs"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)])
def test_values_and_gradients(op, args, kwargs):
    value, pullback = vjp(getattr(ops, op), *args, **kwargs)
    cotangent = tree.map(lambda leaf: np.asarray(draw(*np.shape(leaf), seed=9)), value)
    gradients = zip(tree.leaves(args), tree.leaves(pullback(cotangent)), strict=True)
    mine = [g for argument, g in gradients if isinstance(argument, np.ndarray) and argument.dtype.kind == "f"]
    expected, theirs = pytorch.value_and_gradients(getattr(pytorch, op), args, kwargs, cotangent)
    for got, want in zip(tree.leaves(value), tree.leaves(expected), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)
    for got, want in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)

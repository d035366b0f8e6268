"""Values and gradients against a committed table that a peer computed: holds where the peer is not installed."""

import json
from pathlib import Path

import numpy as np
import pytest
from peers.cases import CASES, cotangent_of

from opbook import ops, vjp
from opbook.autodiff import tree

TABLE = json.loads(Path(__file__).with_name("reference.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradients_against_the_table(name):
    op, args, kwargs = CASES[name]
    expected = TABLE["cases"][name]
    value, pullback = vjp(getattr(ops, op), *args, **kwargs)
    np.testing.assert_allclose(value, expected["value"], rtol=1e-10, atol=1e-12)
    gradients = zip(tree.leaves(args), tree.leaves(pullback(cotangent_of(op, args))), strict=True)
    arrays = [g for argument, g in gradients if isinstance(argument, np.ndarray)]
    for got, want in zip(arrays, expected["gradients"], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-11)


def test_the_table_names_its_peer():
    assert TABLE["peer"] == "PyTorch"
    assert TABLE["version"] == "2.13.0"
    assert TABLE["cases"].keys() == CASES.keys()

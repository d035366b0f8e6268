"""What the pages say that PyTorch returns at an edge is what it returns."""

import numpy as np
import pytest

from opbook.autodiff import tree
from opbook.checks.inputs import edges_of
from opbook.pages.edges import outcome
from opbook.plugins.catalogue import catalogue

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
functional = torch.nn.functional


def attention(q, k, v, mask=None, key_mask=None):
    allowed = mask if mask is not None else key_mask
    return functional.scaled_dot_product_attention(q, k, v, allowed if allowed is None else allowed.bool())


IN_PYTORCH = {
    "softmax": lambda x, axis=-1: torch.softmax(x, axis),
    "log_softmax": lambda x, axis=-1: torch.log_softmax(x, axis),
    "logsumexp": lambda x, axis=-1: torch.logsumexp(x, axis),
    "layer_norm": lambda x, gamma, beta, eps=1e-5: functional.layer_norm(x, gamma.shape, gamma, beta, eps),
    "rms_norm": lambda x, gamma, eps=1e-5: functional.rms_norm(x, gamma.shape, gamma, eps),
    "scaled_dot_product_attention": attention,
    "cross_entropy": functional.cross_entropy,
    "binary_cross_entropy": functional.binary_cross_entropy_with_logits,
    "cosine_similarity": lambda x, y, axis=-1, eps=1e-8: functional.cosine_similarity(x, y, axis, eps),
    "norm": lambda x, axis=None: torch.linalg.vector_norm(x, dim=axis),
}
"""The functions of PyTorch that builtins are held to at their edges, by the builtins' names."""


def recorded():
    catalogue().load_samples()
    for name in IN_PYTORCH:
        for sample in edges_of(catalogue()[name]):
            if sample.pytorch:
                yield pytest.param(name, sample, id=f"{name}: {sample.label}")


def as_tensor(leaf):
    return torch.from_numpy(leaf.copy()) if isinstance(leaf, np.ndarray) else leaf


@pytest.mark.parametrize(("name", "sample"), [*recorded()])
def test_it_returns_what_the_page_says(name, sample):
    arguments, options = tree.map(as_tensor, (sample.args, sample.kwargs))
    assert outcome(IN_PYTORCH[name](*arguments, **options).numpy()) == sample.pytorch


def test_every_recorded_result_is_asked_for():
    catalogue().load_samples()
    names = {name for name in catalogue() if any(sample.pytorch for sample in edges_of(catalogue()[name]))}
    assert names
    assert names <= set(IN_PYTORCH)

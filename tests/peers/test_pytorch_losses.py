"""Values and gradients of the losses, of embedding and of top_k against PyTorch in float64."""

import numpy as np
import pytest
from ops.transformer_inputs import draw

from opbook import ops, vjp

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")
functional = torch.nn.functional

pytestmark = pytest.mark.peer

REDUCTIONS = ("mean", "sum", "none")
SHAPES = ((5,), (3, 7), (2, 3, 5))
FAR = np.array([-1000.0, -30.0, -1e-9, 0.0, 1e-9, 30.0, 1000.0])
"""Where exponentials overflow and digits get lost."""


def assert_alike(name, args, kwargs, theirs):
    """Hold a builtin and its gradients to a function of PyTorch of the same arguments."""
    value, pullback = vjp(getattr(ops, name), *args, **kwargs)
    cotangent = np.asarray(draw(*np.shape(value), seed=9))
    tensors = [torch.tensor(a, requires_grad=a.dtype.kind == "f") if isinstance(a, np.ndarray) else a for a in args]
    expected = theirs(*tensors)
    expected.backward(torch.tensor(cotangent))
    np.testing.assert_allclose(value, expected.detach().numpy(), rtol=1e-12, atol=1e-13)
    for mine, tensor in zip(pullback(cotangent), tensors, strict=True):
        if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
            np.testing.assert_allclose(mine, tensor.grad.numpy(), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_errors_of_numbers(shape, reduction):
    x, target = 2 * draw(*shape), draw(*shape, seed=1)
    options = {"reduction": reduction}
    assert_alike("mse_loss", (x, target), options, lambda x, t: functional.mse_loss(x, t, **options))
    for delta in (0.3, 1.0, 2.5):
        huber = {"delta": delta, **options}
        assert_alike("huber_loss", (x, target), huber, lambda x, t, huber=huber: functional.huber_loss(x, t, **huber))


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_kl_divergence(axis):
    def theirs(log_p, log_q, axis):
        return functional.kl_div(log_q, log_p, reduction="none", log_target=True).sum(axis)

    log_p, log_q = (ops.log_softmax(3 * draw(2, 3, 5, seed=seed), axis) for seed in (1, 2))
    assert_alike("kl_divergence", (log_p, log_q, axis), {}, theirs)
    assert_alike("kl_divergence", (log_p, log_q[:1], axis) if axis else (log_p, log_q, axis), {}, theirs)


@pytest.mark.parametrize(("axis", "eps"), [(-1, 1e-8), (1, 1e-8), (0, 1e-3)])
def test_cosine_similarity(axis, eps):
    def theirs(x, y, axis):
        return functional.cosine_similarity(x, y, dim=axis, eps=eps)

    assert_alike("cosine_similarity", (draw(2, 3, 5), draw(2, 3, 5, seed=1), axis), {"eps": eps}, theirs)
    if axis == -1:
        assert_alike("cosine_similarity", (draw(4, 1, 5), draw(3, 5, seed=1), axis), {"eps": eps}, theirs)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ignored", [None, 2, -100])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(), *SHAPES])
def test_cross_entropy(shape, reduction, smoothing, ignored, weighted):
    logits = 4 * draw(*shape, 7)
    targets = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) * 3 % 7)
    if ignored == -100 and shape:
        targets[0] = -100
    weight = np.arange(1.0, 8.0) / 4 if weighted else None
    options = {"reduction": reduction, "label_smoothing": smoothing}

    def theirs(logits, targets):
        classes_second = torch.movedim(logits, -1, 1) if len(shape) > 1 else logits
        w = None if weight is None else torch.tensor(weight)
        index = -100 if ignored is None else ignored
        return functional.cross_entropy(classes_second, targets, w, ignore_index=index, **options)

    mine = {**options, "ignore_index": ignored, "weight": weight}
    assert_alike("cross_entropy", (logits, targets), mine, theirs)


@pytest.mark.parametrize("scale", [100, 1000])
def test_cross_entropy_of_logits_far_apart(scale):
    logits, targets = scale * draw(5, 7), np.array([0, 6, 2, 2, 1])
    assert_alike("cross_entropy", (logits, targets), {}, functional.cross_entropy)


@pytest.mark.parametrize("weight", [None, np.array([0.5, 2.0, 1.0, 3.0, 0.25])])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", SHAPES[::2])
def test_binary_cross_entropy(shape, reduction, weight):
    options = {"pos_weight": weight, "reduction": reduction}

    def theirs(logits, targets):
        w = None if weight is None else torch.tensor(weight)
        return functional.binary_cross_entropy_with_logits(logits, targets, pos_weight=w, reduction=reduction)

    for targets in (draw(*shape) > 0, 1 / (1 + np.exp(draw(*shape)))):
        assert_alike("binary_cross_entropy", (3 * draw(*shape, seed=1), targets * 1.0), options, theirs)


@pytest.mark.parametrize("answer", [0.0, 0.25, 1.0])
def test_binary_cross_entropy_far_out(answer):
    theirs = functional.binary_cross_entropy_with_logits
    assert_alike("binary_cross_entropy", (FAR, np.full(7, answer)), {}, theirs)


@pytest.mark.parametrize("padding", [None, 0, 3])
@pytest.mark.parametrize("shape", [(), *SHAPES])
def test_embedding(shape, padding):
    ids = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) ** 2 % 5)

    def theirs(table, ids):
        return functional.embedding(ids, table, padding_idx=padding)

    assert_alike("embedding", (draw(5, 4), ids), {"padding_id": padding}, theirs)


@pytest.mark.parametrize(("k", "axis"), [(0, -1), (2, -1), (5, -1), (3, 1), (2, 0)])
def test_top_k(k, axis):
    x = draw(2, 3, 5)
    found, pullback = vjp(ops.top_k, x, k, axis)
    tensor = torch.tensor(x, requires_grad=True)
    expected = torch.topk(tensor, k, dim=axis)
    np.testing.assert_array_equal(found["values"], expected.values.detach())
    np.testing.assert_array_equal(found["indices"], expected.indices)
    g = draw(*expected.values.shape, seed=9)
    expected.values.backward(torch.tensor(g))
    np.testing.assert_array_equal(pullback({"values": g, "indices": None})[0], tensor.grad)


def test_a_length_below_eps_is_a_constant_here():
    """PyTorch has the same value, and a gradient as if the length were not cut off."""
    x, y, options = np.array([0.3, 0.4]), np.array([0.0, 2.0]), {"eps": 1.0}
    tensor = torch.tensor(x, requires_grad=True)
    value = functional.cosine_similarity(tensor, torch.tensor(y), dim=-1, **options)
    value.backward()
    assert value.item() == ops.cosine_similarity(x, y, **options) == 0.4
    assert vjp(ops.cosine_similarity, x, y, **options)[1](1.0)[0].tolist() == [0, 1]
    assert tensor.grad.tolist() != [0, 1]


def test_what_pytorch_does_otherwise():
    rows = torch.zeros(2, 3, dtype=torch.float64)
    assert functional.cross_entropy(rows, torch.tensor([-100, -100])).isnan()
    assert ops.cross_entropy(np.zeros((2, 3)), [-100, -100], ignore_index=-100) == 0
    with pytest.warns(UserWarning, match="broadcast"):
        functional.mse_loss(torch.zeros(3, 1), torch.zeros(3))
    with pytest.warns(UserWarning, match="broadcast"):
        functional.huber_loss(torch.zeros(3, 1), torch.zeros(3))
    small = functional.smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), beta=2.0)
    assert small * 2 == ops.huber_loss([0.5, 3], [0, 0], delta=2.0)
    # of probabilities, where log 0 is cut off
    assert functional.binary_cross_entropy(torch.tensor([0.0]), torch.tensor([1.0])) == 100
    assert functional.binary_cross_entropy_with_logits(torch.tensor([0.5]), torch.tensor([2.0])) < 0
    assert functional.one_hot(torch.tensor([0, 2])).dtype == torch.int64
    assert torch.topk(torch.tensor([1.0, float("nan")]), 1).values.isnan().all()
    assert ops.top_k([1.0, np.nan], 1)["values"].tolist() == [1]
    p, q = torch.tensor([[0.5, 0.5]] * 3), torch.tensor([[0.25, 0.75]] * 3)
    one = float(ops.kl_divergence(np.log([0.5, 0.5]), np.log([0.25, 0.75])))
    assert float(functional.kl_div(q.log(), p, reduction="batchmean")) == pytest.approx(one)
    with pytest.warns(UserWarning, match="batchmean"):
        assert float(functional.kl_div(q.log(), p)) == pytest.approx(one / 2)
    last = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert functional.embedding(torch.tensor([1]), last, padding_idx=-1).tolist() == [[3, 4]]

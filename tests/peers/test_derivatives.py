"""Gradients of NumPy functions against PyTorch's of the same functions, in float64."""

import numpy as np
import pytest
from numeric import uneven

from opbook import vjp

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

pytestmark = pytest.mark.peer

A = uneven((3, 4))
CUBE = uneven((2, 3, 4), 3)
SQUARE = uneven((2, 3, 3), 4) + 3 * np.eye(3)
ROW = uneven((5,), 6)


def symmetric(x):
    return x @ x.mT


PAIRS = {
    "cholesky": (lambda x: np.linalg.cholesky(symmetric(x)), lambda x: torch.linalg.cholesky(symmetric(x)), SQUARE),
    "eigenvalues": (lambda x: np.linalg.eigvalsh(symmetric(x)), lambda x: torch.linalg.eigvalsh(symmetric(x)), SQUARE),
    "eigenvectors": (
        lambda x: np.linalg.eigh(symmetric(x))[1] ** 2,
        lambda x: torch.linalg.eigh(symmetric(x))[1] ** 2,
        SQUARE,
    ),
    "svd": (
        lambda x: np.linalg.svd(x, full_matrices=False)[0] ** 2,
        lambda x: torch.linalg.svd(x, full_matrices=False)[0] ** 2,
        CUBE,
    ),
    "qr": (lambda x: np.linalg.qr(x)[1], lambda x: torch.linalg.qr(x)[1], CUBE.swapaxes(1, 2)),
    "pinv": (np.linalg.pinv, torch.linalg.pinv, CUBE),
    "det": (np.linalg.det, torch.linalg.det, SQUARE),
    "det of rank 2": (np.linalg.det, torch.linalg.det, uneven((3, 2)) @ uneven((2, 3), 1)),
    "slogdet": (lambda x: np.linalg.slogdet(x)[1], lambda x: torch.linalg.slogdet(x)[1], SQUARE),
    "nuclear norm": (
        lambda x: np.linalg.norm(x, "nuc", axis=(-2, -1)),
        lambda x: torch.linalg.matrix_norm(x, "nuc"),
        CUBE,
    ),
    "cumprod with a zero": (
        lambda x: np.cumprod(x * (np.arange(4) != 1), 1),
        lambda x: torch.cumprod(x * torch.tensor(np.arange(4) != 1), 1),
        A,
    ),
    "std": (lambda x: np.std(x, axis=1, ddof=1), lambda x: torch.std(x, dim=1), A),
    "quantile": (lambda x: np.quantile(x, 0.3, axis=0), lambda x: torch.quantile(x, 0.3, dim=0), A),
    "cov": (np.cov, torch.cov, A),
    "corrcoef": (np.corrcoef, torch.corrcoef, A),
    "gradient": (lambda x: np.gradient(x, axis=1), lambda x: torch.gradient(x, dim=1)[0], A),
    "trapezoid": (np.trapezoid if hasattr(np, "trapezoid") else np.trapz, torch.trapezoid, A),
    "sinc": (np.sinc, torch.sinc, A),
    "i0": (np.i0, torch.special.i0, A * 5),
    "hypot at 0": (lambda x: np.hypot(x * 0, x), lambda x: torch.hypot(x * 0, x), A),
    "logaddexp2": (lambda x: np.logaddexp2(x, 2 * x), lambda x: torch.logaddexp2(x, 2 * x), A),
    "power spectrum": (lambda x: np.abs(np.fft.rfft(x)) ** 2, lambda x: torch.fft.rfft(x).abs() ** 2, A),
    "irfft": (
        lambda x: np.fft.irfft(np.fft.rfft(x) * (1 + 0.5j), n=5),
        lambda x: torch.fft.irfft(torch.fft.rfft(x) * (1 + 0.5j), n=5),
        ROW,
    ),
    "kron": (lambda x: np.kron(x, x[:2]), lambda x: torch.kron(x, x[:2]), A),
    "max with ties": (lambda x: np.max(np.round(x), axis=1) * 1.0, lambda x: torch.amax(torch.round(x), 1), A),
    "remainder": (lambda x: np.remainder(x * 3, x[:1]), lambda x: torch.remainder(x * 3, x[:1]), A),
}


@pytest.mark.parametrize("name", PAIRS)
def test_gradients_are_those_of_pytorch(name):
    mine, theirs, x = PAIRS[name]
    value, pullback = vjp(mine, x)
    tensor = torch.tensor(x, requires_grad=True)
    expected = theirs(tensor)
    np.testing.assert_allclose(value, expected.detach(), rtol=1e-10, atol=1e-12)
    cotangent = uneven(value.shape, 9)
    expected.backward(torch.tensor(cotangent))
    np.testing.assert_allclose(pullback(cotangent)[0], tensor.grad, rtol=1e-8, atol=1e-10)

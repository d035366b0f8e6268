"""A small catalogue of stand-ins: the notation knows no builtin by name, and its tests need no plugin."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opbook.autodiff.differentiate import grad
from opbook.builtins.annotations import Array
from opbook.builtins.formatting import format_value
from opbook.errors import InputError, NotationError
from opbook.notation import Limits, Session


def zeros(*shape: int) -> Any:
    return np.zeros(tuple(int(size) for size in shape))


def eye(n: int) -> Any:
    return np.eye(int(n))


def show(value: Any) -> None:
    print(format_value(value))


def rounded(x: Array["..."], decimals: int = 0) -> Array["..."]:
    return np.round(x, decimals)


def root(x: Any) -> Any:
    if np.any(np.asarray(x) < 0):
        raise InputError(f"root: x must not be negative, but is {x}")
    return np.sqrt(x)


def layer_norm(x: Any, gamma: Any, beta: Any, *, eps: float = 1e-5) -> Any:
    spread = x - np.mean(x, axis=-1, keepdims=True)
    return spread / np.sqrt(np.mean(spread**2, axis=-1, keepdims=True) + eps) * gamma + beta


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = np.exp(q @ np.transpose(k) / np.sqrt(q.shape[-1]))
    return scores / np.sum(scores, axis=-1, keepdims=True) @ v


def multi_head(x: Any, heads: Any, n_heads: int) -> Any:
    assert isinstance(heads, tuple)
    assert len(heads) == n_heads
    parts = [attention(x @ head["wq"], x @ head["wk"], x @ head["wv"]) @ head["wo"] for head in heads]
    return sum(parts)


def transformer_block(x: Any, w: Any) -> Any:
    h = layer_norm(x + multi_head(x, w["heads"], len(w["heads"])), w["ln1_gamma"], w["ln1_beta"])
    return layer_norm(h + np.maximum(h @ w["w1"] + w["b1"], 0) @ w["w2"] + w["b2"], w["ln2_gamma"], w["ln2_beta"])


CATALOGUE: dict[str, Callable[..., Any]] = {
    "print": show,
    "zeros": zeros,
    "eye": eye,
    "root": root,
    "grad": grad,
    "sum": lambda x: np.sum(x),
    "abs": lambda x: np.abs(x),
    "max": lambda *x: np.max(x),
    "round": rounded,
    "shape": lambda x: tuple(np.shape(x)),
    "same": lambda x: x,
    "arguments": lambda *args, **kwargs: (args, kwargs),
    "layer_norm": layer_norm,
    "scaled_dot_product_attention": attention,
    "multi_head_attention": multi_head,
    "transformer_block": transformer_block,
}


@pytest.fixture
def catalogue() -> dict[str, Callable[..., Any]]:
    return dict(CATALOGUE)


@pytest.fixture
def session(catalogue: dict[str, Callable[..., Any]]) -> Session:
    return Session(catalogue)


@pytest.fixture
def run() -> Callable[..., Any]:
    """Run a program in a new session; the value of its last bare expression."""

    def run(text: str, **limits: Any) -> Any:
        return Session(CATALOGUE, limits=Limits(**limits)).run(text)

    return run


@pytest.fixture
def fail() -> Callable[..., str]:
    """Run a program that must fail; its message."""

    def fail(text: str, **limits: Any) -> str:
        with pytest.raises(NotationError) as caught:
            Session(CATALOGUE, limits=Limits(**limits)).run(text)
        message = str(caught.value)
        assert len(message.splitlines()) <= 5
        return message

    return fail

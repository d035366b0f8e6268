"""Adapters: give a function or module of another form the arguments of a builtin, so that `opbook compare` can call it.

In a file beside one's own code, one line each:

    from opbook.testing import adapters
    norm = adapters.torch_layer_norm(torch.nn.LayerNorm)
    attention = adapters.packed_projections(my_multi_head_attention)
    attend = adapters.additive_mask(my_attention)

What an adapter makes takes the arrays that the function behind it takes, and is named as that function is.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

Function = Callable[..., Any]


def heads_last(function: Function) -> Function:
    """Adapt an attention that has its heads behind the rows: `(batch, rows, heads, width)`.

    Args:
        function: Takes q, k, v and options of that layout, and returns it.

    Returns:
        A function with the layout of `scaled_dot_product_attention`: heads before the rows.
    """

    @wraps(function)
    def adapted(q: Any, k: Any, v: Any, **options: Any) -> Any:
        if q.ndim < 3:
            raise ValueError("an array without an axis for heads has no heads to put last")
        return _swapped(_first(function(*(_swapped(a) for a in (q, k, v)), **options)))

    return _like(function, adapted)


def _swapped(array: Any) -> Any:
    return array.swapaxes(-2, -3)


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple | list) else result


def additive_mask(function: Function, blocked: float = -np.inf) -> Function:
    """Adapt a function whose `mask` is added to the scores: 0 where a pair may attend, a very low number elsewhere.

    Args:
        function: Takes such a mask under the name `mask`.
        blocked: The low number.

    Returns:
        A function that takes a mask of Booleans, 1 = may attend.
    """

    @wraps(function)
    def adapted(*args: Any, mask: Any = None, **options: Any) -> Any:
        if mask is None:
            return function(*args, **options)
        like = next(array for array in (*args, *options.values()) if hasattr(array, "dtype"))
        return function(*args, mask=_added(mask, like, blocked), **options)

    return _like(function, adapted)


def _added(mask: Any, like: Any, blocked: float) -> Any:
    if isinstance(mask, np.ndarray):
        return np.where(mask, 0.0, blocked).astype(like.dtype)
    import torch  # type: ignore[import-not-found,unused-ignore]

    return torch.where(mask != 0, 0.0, blocked).to(like.dtype)


def inverted_mask(function: Function) -> Function:
    """Adapt a function whose `mask` is true where a pair is blocked.

    Args:
        function: Takes such a mask under the name `mask`.

    Returns:
        A function that takes a mask of Booleans, 1 = may attend.
    """

    @wraps(function)
    def adapted(*args: Any, mask: Any = None, **options: Any) -> Any:
        return function(*args, **options) if mask is None else function(*args, mask=mask == 0, **options)

    return _like(function, adapted)


def packed_projections(function: Function) -> Function:
    """Adapt a multi-head attention that takes one matrix for q, k and v of all heads, and one for the output.

    Args:
        function: Called as `function(x, w_qkv, w_out, n_heads, **options)`, where w_qkv is (D, 3 D), first all heads'
            queries, then keys, then values, and w_out is (D, D).

    Returns:
        A function with the arguments of `multi_head_attention`. It refuses heads that do not fill the width.
    """

    @wraps(function)
    def adapted(x: Any, heads: Sequence[Any], n_heads: int, **options: Any) -> Any:
        _fill(x, heads)
        _refuse_biases(heads)
        qkv = _joined([head[name] for name in ("wq", "wk", "wv") for head in heads], -1)
        return function(x, qkv, _joined([head["wo"] for head in heads], -2), n_heads, **options)

    return _like(function, adapted)


def joined_projections(function: Function) -> Function:
    """Adapt a multi-head attention that takes one matrix for each of q, k, v and the output.

    Args:
        function: Called as `function(x, wq, wk, wv, wo, n_heads, **options)`, each matrix (D, D), the heads one behind
            the other.

    Returns:
        A function with the arguments of `multi_head_attention`. It refuses heads that do not fill the width.
    """

    @wraps(function)
    def adapted(x: Any, heads: Sequence[Any], n_heads: int, **options: Any) -> Any:
        _fill(x, heads)
        _refuse_biases(heads)
        parts = [_joined([head[name] for head in heads], -1) for name in ("wq", "wk", "wv")]
        return function(x, *parts, _joined([head["wo"] for head in heads], -2), n_heads, **options)

    return _like(function, adapted)


def _joined(arrays: list[Any], axis: int) -> Any:
    if isinstance(arrays[0], np.ndarray):
        return np.concatenate(arrays, axis)
    import torch  # type: ignore[import-not-found,unused-ignore]

    return torch.cat(arrays, axis)


def _fill(x: Any, heads: Sequence[Any]) -> None:
    widths = [head["wq"].shape[-1] for head in heads]
    if len(set(widths)) > 1 or sum(widths) != x.shape[-1]:
        raise ValueError("the heads must be equal and fill the width")


def _refuse_biases(heads: Sequence[Any]) -> None:
    if any(name in head for head in heads for name in ("bq", "bk", "bv")):
        raise ValueError("the function has no place for biases of heads")


def torch_module(make: Callable[..., tuple[Any, dict[str, Any], tuple[Any, ...]]], name: str = "module") -> Function:
    """Adapt any `torch.nn.Module`, which is made anew for each input.

    Args:
        make: Takes the builtin's arguments as tensors; returns the module, its parameters by the names that its
            `state_dict` has, and the arguments that it is called with. Parameters that are not named become 0.
        name: What the function is called in reports.

    Returns:
        A function with the builtin's arguments. Of several results the first is returned.
    """

    def adapted(*args: Any, **options: Any) -> Any:
        import torch

        module, weights, inputs = make(*args, **options)
        module = module.to(next(iter(weights.values())).dtype)
        zeros = {key: torch.zeros_like(value) for key, value in module.state_dict().items()}
        module.load_state_dict({**zeros, **weights})
        with torch.no_grad():
            return _first(module(*inputs))

    adapted.__name__ = name
    adapted.arrays = "torch"  # type: ignore[attr-defined]
    return adapted


def torch_layer_norm(module_class: Any) -> Function:
    """Adapt a class like `torch.nn.LayerNorm`, for `layer_norm`.

    Args:
        module_class: The class; it has parameters `weight` and `bias`.

    Returns:
        The function.
    """

    def make(x: Any, gamma: Any, beta: Any, eps: float = 1e-5) -> Any:
        return module_class(x.shape[-1], eps=eps), {"weight": gamma, "bias": beta}, (x,)

    return torch_module(make, module_class.__name__)


def torch_multi_head_attention(module_class: Any) -> Function:
    """Adapt a class like `torch.nn.MultiheadAttention`, for `multi_head_attention`.

    Args:
        module_class: The class.

    Returns:
        The function. It refuses heads that do not fill the width.
    """

    def make(x: Any, heads: Any, n_heads: int, mask: Any = None, bo: Any = None) -> Any:
        _fill(x, heads)
        rows = x.reshape(-1, *x.shape[-2:])
        module = module_class(x.shape[-1], n_heads, batch_first=True)
        return module, _attention_weights(heads, bo), (rows, rows, rows, None, False, _blocked(mask, x, n_heads))

    def adapted(x: Any, heads: Any, n_heads: int, mask: Any = None, bo: Any = None) -> Any:
        return torch_module(make)(x, heads, n_heads, mask, bo).reshape(x.shape)

    return _named(module_class, adapted)


def torch_transformer_block(module_class: Any) -> Function:
    """Adapt a class like `torch.nn.TransformerEncoderLayer`, for `transformer_block`.

    Args:
        module_class: The class.

    Returns:
        The function. It refuses heads that do not fill the width.
    """

    def make(x: Any, weights: Any, mask: Any = None, norm: str = "post", eps: float = 1e-5) -> Any:
        heads = weights["heads"]
        _fill(x, heads)
        module = module_class(
            x.shape[-1],
            len(heads),
            dim_feedforward=weights["w1"].shape[-1],
            dropout=0.0,
            batch_first=True,
            norm_first=norm == "pre",
            layer_norm_eps=eps,
        )
        state = {f"self_attn.{key}": value for key, value in _attention_weights(heads, weights.get("bo")).items()}
        state |= {"linear1.weight": weights["w1"].T, "linear1.bias": weights["b1"]}
        state |= {"linear2.weight": weights["w2"].T, "linear2.bias": weights["b2"]}
        state |= {f"norm{i}.weight": weights[f"ln{i}_gamma"] for i in (1, 2)}
        state |= {f"norm{i}.bias": weights[f"ln{i}_beta"] for i in (1, 2)}
        return module, state, (x.reshape(-1, *x.shape[-2:]), _blocked(mask, x, len(heads)))

    def adapted(x: Any, weights: Any, mask: Any = None, norm: str = "post", eps: float = 1e-5) -> Any:
        return torch_module(make)(x, weights, mask, norm, eps).reshape(x.shape)

    return _named(module_class, adapted)


def torch_gru(module_class: Any) -> Function:
    """Adapt a class like `torch.nn.GRU`, for `gru_forward` with the reset gate behind the product.

    Args:
        module_class: The class.

    Returns:
        The function, which has no option `reset`.
    """

    def make(x: Any, weights: Any, h0: Any = None) -> Any:
        import torch

        module = module_class(x.shape[-1], weights["ur"].shape[0], batch_first=True)
        none = torch.zeros(weights["ur"].shape[0], dtype=x.dtype)
        packed = {
            "weight_ih_l0": torch.cat([weights[name].T for name in ("wr", "wz", "wn")]),
            "weight_hh_l0": torch.cat([weights[name].T for name in ("ur", "uz", "un")]),
            "bias_ih_l0": torch.cat([weights.get(name, none) for name in ("br", "bz", "bn")]),
            "bias_hh_l0": torch.cat([none, none, weights.get("cn", none)]),
        }
        rows = x.reshape(-1, *x.shape[-2:])
        start = None if h0 is None else h0.broadcast_to(*x.shape[:-2], *h0.shape[-1:]).reshape(1, len(rows), -1)
        return module, packed, (rows, start)

    def adapted(x: Any, weights: Any, h0: Any = None) -> Any:
        return torch_module(make)(x, weights, h0).reshape(*x.shape[:-1], -1)

    return _named(module_class, adapted)


def _attention_weights(heads: Any, bo: Any) -> dict[str, Any]:
    """The parameters of `torch.nn.MultiheadAttention`, whose matrices stand on their side; a bias that lacks is 0."""
    projections = _joined([head[name] for name in ("wq", "wk", "wv") for head in heads], -1)
    biases = [head.get("b" + name, 0 * head["wq"][0]) for name in "qkv" for head in heads]
    state = {"in_proj_weight": projections.T, "out_proj.weight": _joined([head["wo"] for head in heads], -2).T}
    return state | {"in_proj_bias": _joined(biases, -1)} | ({} if bo is None else {"out_proj.bias": bo})


def _blocked(mask: Any, x: Any, n_heads: int) -> Any:
    """A mask as PyTorch has it: true where a pair is blocked, one for each head of each batch."""
    if mask is None:
        return None
    rows = x.shape[-2]
    full = (mask == 0).expand(*x.shape[:-2], rows, rows).reshape(-1, rows, rows)
    return full.repeat_interleave(n_heads, dim=0)


def _named(module_class: Any, adapted: Function) -> Function:
    adapted.__name__ = module_class.__name__
    adapted.arrays = "torch"  # type: ignore[attr-defined]
    return adapted


def _like(function: Function, adapted: Function) -> Function:
    """Keep from `wraps` the name and what says whose arrays it takes, but not the signature."""
    from opbook.checks.comparison.libraries import library_of

    adapted.arrays = library_of(function).name  # type: ignore[attr-defined]
    return adapted

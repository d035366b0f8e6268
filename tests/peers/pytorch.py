"""The transformer ops as PyTorch computes them, on our records. Needs PyTorch; the tests skip without it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from opbook.autodiff import tree


def layer_norm(x: Any, gamma: Any, beta: Any, *, eps: float = 1e-5) -> Any:
    return functional.layer_norm(x, gamma.shape, gamma, beta, eps)


def scaled_dot_product_attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    mask: Any = None,
    causal: bool = False,
    scale: float | None = None,
    bias: Any = None,
    window: tuple[int, int] | None = None,
    softcap: float | None = None,
) -> Any:
    """PyTorch's own; a softcap, which it has not, written out with its operations."""
    mask = torch.as_tensor(mask) if mask is not None else None
    mask = torch.as_tensor(bias) if bias is not None else mask
    if window is not None:
        before, after = window
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(after).triu(-before)
    if softcap is None:
        return functional.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, scale=scale)
    scores = softcap * torch.tanh(q @ k.mT / q.shape[-1] ** 0.5 / softcap)
    return torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), dim=-1) @ v


def grouped_query_attention(q: Any, k: Any, v: Any, mask: Any = None, *, causal: bool = False) -> Any:
    return functional.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, enable_gqa=True)


def append_to_cache(cache: Any, k: Any, v: Any) -> Any:
    return {name: torch.cat([cache[name], new], dim=-2) for name, new in (("k", k), ("v", v))}


def multi_head_attention(
    x: Any, heads: Any, n_heads: int, *, bo: Any = None, mask: Any = None, key_mask: Any = None
) -> Any:
    """`torch.nn.MultiheadAttention`'s functional form, whose packed weights are our heads side by side."""
    return cross_attention(x, x, heads, n_heads, bo=bo, mask=mask, key_mask=key_mask)


def cross_attention(
    x: Any, memory: Any, heads: Any, n_heads: int, *, bo: Any = None, mask: Any = None, key_mask: Any = None
) -> Any:
    """The same, with weights apart."""
    wq, wk, wv = (torch.cat([head[name] for head in heads], dim=1).T for name in ("wq", "wk", "wv"))
    has_biases = "bq" in heads[0]
    biases = torch.cat([head[name] for name in ("bq", "bk", "bv") for head in heads]) if has_biases else None
    queries, keys = (rows.transpose(0, 1) if rows.ndim == 3 else rows[:, None] for rows in (x, memory))
    value, _ = functional.multi_head_attention_forward(
        *(queries, keys, keys, x.shape[-1], n_heads, None, biases),
        *(None, None, False, 0.0, torch.cat([head["wo"] for head in heads]).T),
        None if bo is None else torch.as_tensor(bo),
        attn_mask=None if mask is None else ~torch.as_tensor(mask, dtype=torch.bool),
        key_padding_mask=None if key_mask is None else ~torch.as_tensor(key_mask, dtype=torch.bool),
        need_weights=False,
        use_separate_proj_weight=True,
        q_proj_weight=wq,
        k_proj_weight=wk,
        v_proj_weight=wv,
    )
    return value.transpose(0, 1) if x.ndim == 3 else value[:, 0]


ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu-tanh": lambda z: functional.gelu(z, approximate="tanh"),
    "silu": functional.silu,
}


def transformer_block(
    x: Any, weights: Any, *, norm: str = "post", activation: str = "relu", eps: float = 1e-5, mask: Any = None
) -> Any:
    """`torch.nn.TransformerEncoderLayer` with our weights in it, without dropout."""
    d, heads = x.shape[-1], weights["heads"]
    layer = torch.nn.TransformerEncoderLayer(
        *(d, len(heads), weights["w1"].shape[1], 0.0),
        activation=ACTIVATIONS[activation],
        layer_norm_eps=eps,
        batch_first=True,
        norm_first=norm == "pre",
        dtype=torch.float64,
    )
    none = {name: torch.zeros(d, dtype=torch.float64) for name in ("bq", "bk", "bv", "bo")}
    wq, wk, wv = (torch.cat([head[name] for head in heads], dim=1) for name in ("wq", "wk", "wv"))
    biases = [
        torch.cat([head[name] for head in heads]) if name in heads[0] else none[name] for name in ("bq", "bk", "bv")
    ]
    parameters = {
        "self_attn.in_proj_weight": torch.cat([wq, wk, wv], dim=1).T,
        "self_attn.in_proj_bias": torch.cat(biases),
        "self_attn.out_proj.weight": torch.cat([head["wo"] for head in heads]).T,
        "self_attn.out_proj.bias": weights.get("bo", none["bo"]),
        "linear1.weight": weights["w1"].T,
        "linear1.bias": weights["b1"],
        "linear2.weight": weights["w2"].T,
        "linear2.bias": weights["b2"],
        "norm1.weight": weights["ln1_gamma"],
        "norm1.bias": weights["ln1_beta"],
        "norm2.weight": weights["ln2_gamma"],
        "norm2.bias": weights["ln2_beta"],
    }
    blocked = None if mask is None else ~torch.as_tensor(mask, dtype=torch.bool)
    return torch.func.functional_call(layer, parameters, (x, blocked))


def rms_norm(x: Any, gamma: Any, *, eps: float = 1e-5) -> Any:
    return functional.rms_norm(x, gamma.shape, gamma, eps)


def batch_norm(
    x: Any,
    gamma: Any,
    beta: Any,
    mean: Any,
    var: Any,
    *,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    running: str = "unbiased",
) -> Any:
    """PyTorch writes its statistics where no gradient can follow, so the running ones are taken apart from y."""
    rows = x.reshape(-1, x.shape[-1])
    if not training:
        y = (x - mean) * torch.rsqrt(
            var + eps
        ) * gamma + beta  # its own function differentiates mean and var by nothing
        return {"y": y, "mean": mean * 1, "var": var * 1}
    y = functional.batch_norm(rows, None, None, gamma, beta, True, momentum, eps).reshape(x.shape)
    spread = rows.var(0, unbiased=running == "unbiased")
    return {
        "y": y,
        "mean": (1 - momentum) * mean + momentum * rows.mean(0),
        "var": (1 - momentum) * var + momentum * spread,
    }


def einsum(spec: str, arrays: Any) -> Any:
    return torch.einsum(spec, *arrays)


def group_norm(x: Any, gamma: Any, beta: Any, groups: int, *, eps: float = 1e-5) -> Any:
    """PyTorch takes one batch axis, no more and no less."""
    return functional.group_norm(x.reshape(-1, *x.shape[-2:]), groups, gamma, beta, eps).reshape(x.shape)


def dropout(x: Any, keep: Any, *, rate: float) -> Any:
    return x * torch.as_tensor(keep) / (1 - rate)


def silu(x: Any, *, beta: float = 1.0) -> Any:
    return functional.silu(x) if beta == 1 else x * torch.sigmoid(beta * x)


def leaky_relu(x: Any, *, slope: float = 0.01) -> Any:
    return functional.leaky_relu(x, slope)


def elu(x: Any, *, alpha: float = 1.0) -> Any:
    return functional.elu(x, alpha)


def log_sigmoid(x: Any) -> Any:
    return functional.logsigmoid(x)


def logsumexp(x: Any, axis: int | None = -1, *, keepdims: bool = False) -> Any:
    return torch.logsumexp(x, tuple(range(x.ndim)) if axis is None else axis, keepdims)


def norm(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    return torch.linalg.vector_norm(x, dim=axis, keepdim=keepdims)


def sort(x: Any, axis: int = -1) -> Any:
    return torch.sort(x, dim=axis, stable=True).values


def cumsum(x: Any, axis: int = -1, *, exclusive: bool = False, reverse: bool = False) -> Any:
    turned = x.flip(axis) if reverse else x
    sums = torch.cumsum(turned, axis) - (turned if exclusive else 0)
    return sums.flip(axis) if reverse else sums


def linear(x: Any, w: Any, b: Any = None) -> Any:
    return functional.linear(x, w.mT, b)


def conv2d(
    x: Any, w: Any, b: Any = None, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """PyTorch takes one batch axis, or none, and a function for rows of its own."""
    function, axes = (functional.conv1d, 2) if w.ndim == 3 else (functional.conv2d, 3)
    y = function(x.reshape(-1, *x.shape[-axes:]), w, b, stride, padding, dilation, groups)
    return y.reshape(*x.shape[:-axes], *y.shape[1:])


def max_pool(x: Any, size: Any, *, stride: Any = None, padding: Any = 0) -> Any:
    y = functional.max_pool2d(x.reshape(-1, *x.shape[-2:]), size, stride, padding)
    return y.reshape(*x.shape[:-2], *y.shape[1:])


def avg_pool(x: Any, size: Any, *, stride: Any = None, padding: Any = 0, count_padding: bool = True) -> Any:
    images = x.reshape(-1, *x.shape[-2:])
    y = functional.avg_pool2d(images, size, stride, padding, count_include_pad=count_padding)
    return y.reshape(*x.shape[:-2], *y.shape[1:])


def swiglu(x: Any, weights: Any) -> Any:
    return functional.linear(functional.silu(x @ weights["w_gate"]) * (x @ weights["w_up"]), weights["w_down"].mT)


def decoder_block(x: Any, memory: Any, weights: Any, *, norm: str = "post", activation: str = "relu") -> Any:
    """`torch.nn.TransformerDecoderLayer` with our weights in it, causal, without dropout."""
    d, heads = x.shape[-1], weights["heads"]
    layer = torch.nn.TransformerDecoderLayer(
        *(d, len(heads), weights["w1"].shape[1], 0.0),
        activation=ACTIVATIONS[activation],
        batch_first=True,
        norm_first=norm == "pre",
        dtype=torch.float64,
    )
    parameters = {f"linear{i}.weight": weights[f"w{i}"].T for i in (1, 2)}
    parameters |= {f"linear{i}.bias": weights[f"b{i}"] for i in (1, 2)}
    parameters |= {f"norm{i}.weight": weights[f"ln{i}_gamma"] for i in (1, 2, 3)}
    parameters |= {f"norm{i}.bias": weights[f"ln{i}_beta"] for i in (1, 2, 3)}
    for module, its_heads, bo in (("self_attn", heads, "bo"), ("multihead_attn", weights["cross_heads"], "cross_bo")):
        packed = [torch.cat([head[name] for head in its_heads], dim=1) for name in ("wq", "wk", "wv")]
        biases = [head[name] for name in ("bq", "bk", "bv") for head in its_heads]
        parameters[f"{module}.in_proj_weight"] = torch.cat(packed, dim=1).T
        parameters[f"{module}.in_proj_bias"] = torch.cat(biases)
        parameters[f"{module}.out_proj.weight"] = torch.cat([head["wo"] for head in its_heads]).T
        parameters[f"{module}.out_proj.bias"] = weights[bo]
    later = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1)
    return torch.func.functional_call(layer, parameters, (x, memory), {"tgt_mask": later})


def value_and_gradients(f: Callable[..., Any], args: Any, kwargs: Any, cotangent: Any) -> tuple[Any, list[Any]]:
    """Run a function and its backward pass.

    Args:
        f: One of the functions above.
        args: Its arguments, with NumPy arrays; numbers that are no arrays pass through.
        kwargs: Its keyword arguments.
        cotangent: The cotangent of the value.

    Returns:
        The value, one array or several, and the gradient of each array, in order.
    """
    leaves = [torch.tensor(a, requires_grad=True) if _is_float(a) else a for a in tree.leaves(args)]
    value = f(*tree.unflatten(args, leaves), **kwargs)
    torch.autograd.backward(tree.leaves(value), [torch.tensor(g) for g in tree.leaves(cotangent)])
    gradients = [leaf.grad for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return tree.map(lambda leaf: leaf.detach().numpy(), value), [g.numpy() for g in gradients]


def _is_float(argument: Any) -> bool:
    return isinstance(argument, np.ndarray) and argument.dtype.kind == "f"

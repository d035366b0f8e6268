"""The ops as one writes them with PyTorch's fused functions. Needs PyTorch."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from speed.cases import Case


def function(case: Case, names: Sequence[str]) -> Callable[..., Any]:
    """The op of a case.

    Args:
        case: The case.
        names: What the arrays are called that the function will get.

    Returns:
        A function of tensors.
    """
    if case.op == "layer_norm":
        return _layer_norm
    if case.op == "scaled_dot_product_attention":
        return lambda q, k, v: _attention(q, k, v, case)
    if case.op == "multi_head_attention":
        return lambda x, wqkv, wo: _multi_head(x, wqkv, wo, case)
    return lambda x, *weights: _block(x, dict(zip(names[1:], weights, strict=True)), case)


def _layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    return functional.layer_norm(x, gamma.shape, gamma, beta)


def _attention(q: Any, k: Any, v: Any, case: Case) -> Any:
    shape = q.shape
    while q.ndim < 4:  # only with a batch and heads is it one kernel
        q, k, v = q[None], k[None], v[None]
    mask = torch.from_numpy(case.key_mask(k.shape[-2]))[None] if case.variant == "padded" else None
    return functional.scaled_dot_product_attention(q, k, v, mask, is_causal=case.variant == "causal").reshape(shape)


def _multi_head(x: Any, wqkv: Any, wo: Any, case: Case) -> Any:
    n, d = x.shape
    q, k, v = (x @ wqkv).reshape(n, 3, case.n_heads, d // case.n_heads).permute(1, 2, 0, 3)
    return _attention(q, k, v, case).transpose(0, 1).reshape(n, d) @ wo


def _block(x: Any, w: dict[str, Any], case: Case) -> Any:
    h = _layer_norm(x + _multi_head(x, w["wqkv"], w["wo"], case), w["ln1_gamma"], w["ln1_beta"])
    inner = functional.relu(torch.addmm(w["b1"], h, w["w1"]))
    return _layer_norm(h + torch.addmm(w["b2"], inner, w["w2"]), w["ln2_gamma"], w["ln2_beta"])

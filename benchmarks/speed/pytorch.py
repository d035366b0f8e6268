"""The ops as one writes them with PyTorch's fused functions, and as its modules have them. Needs PyTorch."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from speed.cases import HEAD_FIELDS, Case


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


def module(case: Case, args: tuple[Any, ...]) -> tuple[Callable[[Any], Any], list[Any]]:
    """PyTorch's own module for multi-head attention or for a block, with the weights of a case.

    Args:
        case: The case.
        args: The op's arguments, weights with those of each head apart.

    Returns:
        A function of the rows; what it has to be differentiated by beside them.
    """
    d, dtype = args[0].shape[1], getattr(torch, case.dtype)
    weights = args[1] if case.op == "transformer_block" else {"heads": args[1]}
    if case.op == "multi_head_attention":
        attention = torch.nn.MultiheadAttention(d, case.n_heads, bias=False, dtype=dtype)
        _load(attention, weights["heads"])
        return lambda x: attention(x, x, x, need_weights=False)[0], list(attention.parameters())
    block = torch.nn.TransformerEncoderLayer(d, case.n_heads, weights["w1"].shape[1], dropout=0.0, dtype=dtype)
    _load(block.self_attn, weights["heads"])
    torch.nn.init.zeros_(block.self_attn.in_proj_bias)
    torch.nn.init.zeros_(block.self_attn.out_proj.bias)
    pairs = {"w1": block.linear1.weight, "b1": block.linear1.bias, "w2": block.linear2.weight, "b2": block.linear2.bias}
    pairs |= {"ln1_gamma": block.norm1.weight, "ln1_beta": block.norm1.bias}
    pairs |= {"ln2_gamma": block.norm2.weight, "ln2_beta": block.norm2.bias}
    for name, parameter in pairs.items():
        parameter.data = torch.from_numpy(weights[name].T.copy())
    return block, list(block.parameters())


def _load(attention: Any, heads: Sequence[Any]) -> None:
    packed = [torch.from_numpy(head[name].T) for name in HEAD_FIELDS[:3] for head in heads]
    attention.in_proj_weight.data = torch.cat(packed)
    attention.out_proj.weight.data = torch.cat([torch.from_numpy(head["wo"].T) for head in heads], dim=1).contiguous()

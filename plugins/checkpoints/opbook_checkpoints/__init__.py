"""Records for builtins from checkpoints: the weights that layers of PyTorch save in their state dicts.

    from opbook_checkpoints import block_from_torch
    weights = block_from_torch(layer.state_dict(), n_heads=8)

A state dict is any mapping from PyTorch's names to arrays: what `state_dict()` returns, or what is read from a file
with safetensors. PyTorch itself is not needed. In PyTorch a matrix w is used as `x @ w.T`, in opbook as `x @ w`, so
each of them is transposed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from opbook_checkpoints.reading import read, refuse_other_shapes, refuse_uneven

State = Mapping[str, Any]

__all__ = ["block_from_torch", "gru_from_torch", "heads_from_torch", "lstm_from_torch", "split_heads"]

BLOCK = {
    "w1": "linear1.weight",
    "b1": "linear1.bias",
    "w2": "linear2.weight",
    "b2": "linear2.bias",
    "ln1_gamma": "norm1.weight",
    "ln1_beta": "norm1.bias",
    "ln2_gamma": "norm2.weight",
    "ln2_beta": "norm2.bias",
}


def split_heads(packed: Mapping[str, Any], n_heads: int) -> tuple[dict[str, Any], ...]:
    """Cut projections that hold all heads side by side into a record for each head.

    Args:
        packed: Arrays by the names of a head's fields: wq, wk and wv and their biases, cut along the last axis, and wo,
            whose rows are cut. Each matrix is used as `x @ w`.
        n_heads: How many heads they hold.

    Returns:
        The heads, as `multi_head_attention` and the blocks take them.

    Raises:
        ShapeError: A length that is no multiple of n_heads.
    """
    pieces = {}
    for name, array in packed.items():
        axis = 0 if name == "wo" else -1
        refuse_uneven(name, array.shape, axis, n_heads)
        pieces[name] = np.split(array, n_heads, axis=axis)
    return tuple({name: parts[head] for name, parts in pieces.items()} for head in range(n_heads))


def heads_from_torch(state: State, n_heads: int, *, prefix: str = "") -> dict[str, Any]:
    """Make the weights of `multi_head_attention` from those of `torch.nn.MultiheadAttention`.

    Args:
        state: Its state dict, or that of a model which it is a part of.
        n_heads: Its number of heads, which a state dict does not say.
        prefix: What its names begin with in that of a model, such as `"encoder.layers.0.self_attn."`.

    Returns:
        A record of `heads`, `n_heads` and `bo`, which is None for a layer without biases:
        `multi_head_attention(x, **record)`.

    Raises:
        ArgumentError: An array is missing, or is one that the builtin has no place for.
        ShapeError: An array of another shape than PyTorch's.
    """
    names = ("in_proj_weight", "out_proj.weight")
    arrays = read("heads_from_torch", state, prefix, names, ("in_proj_bias", "out_proj.bias"))
    width = arrays["out_proj.weight"].shape[0]
    shapes = {"in_proj_weight": (3 * width, width), "in_proj_bias": (3 * width,)}
    shapes |= {"out_proj.weight": (width, width), "out_proj.bias": (width,)}
    refuse_other_shapes("heads_from_torch", arrays, shapes)
    packed = dict(zip(("wq", "wk", "wv"), np.split(arrays["in_proj_weight"].T, 3, axis=1), strict=True))
    if "in_proj_bias" in arrays:
        packed |= zip(("bq", "bk", "bv"), np.split(arrays["in_proj_bias"], 3), strict=True)
    packed["wo"] = arrays["out_proj.weight"].T
    return {"heads": split_heads(packed, n_heads), "n_heads": n_heads, "bo": arrays.get("out_proj.bias")}


def block_from_torch(state: State, n_heads: int, *, prefix: str = "") -> dict[str, Any]:
    """Make the weights of `transformer_block` from those of `torch.nn.TransformerEncoderLayer`.

    What a state dict does not say is for the call: `norm="pre"` for `norm_first=True`, `activation="gelu"`, and `eps`.

    Args:
        state: Its state dict, or that of a model which it is a part of.
        n_heads: Its number of heads.
        prefix: What its names begin with in that of a model, such as `"encoder.layers.0."`.

    Returns:
        The record. The biases that a block must have are zeros for a layer without biases.

    Raises:
        ArgumentError: An array is missing, or is one that the builtin has no place for.
        ShapeError: An array of another shape than PyTorch's.
    """
    biases = [name for name in BLOCK.values() if name.endswith(".bias")]
    attention = [name for name in state if name.startswith(f"{prefix}self_attn.")]
    own = {name: array for name, array in state.items() if name not in attention}
    arrays = read("block_from_torch", own, prefix, [name for name in BLOCK.values() if name not in biases], biases)
    heads = heads_from_torch({name: state[name] for name in attention}, n_heads, prefix=f"{prefix}self_attn.")
    inner, width = len(arrays["linear1.weight"]), len(arrays["norm1.weight"])
    vectors = {name: (inner if name == "linear1.bias" else width,) for name in BLOCK.values()}
    shapes = vectors | {"linear1.weight": (inner, width), "linear2.weight": (width, inner)}
    refuse_other_shapes("block_from_torch", arrays, shapes)
    zeros = {name: np.zeros(shapes[name], arrays["linear1.weight"].dtype) for name in biases}
    record = {"heads": heads["heads"]} | {mine: (zeros | arrays)[theirs].T for mine, theirs in BLOCK.items()}
    return record if heads["bo"] is None else record | {"bo": heads["bo"]}


def gru_from_torch(state: State, layer: str = "l0", *, prefix: str = "") -> dict[str, Any]:
    """Make the weights of `gru_forward` from those of one layer of `torch.nn.GRU`.

    Args:
        state: Its state dict, or that of a model which it is a part of.
        layer: How the names of the layer end: l0 is the first; l0_reverse reads the rows from the last to the first.
        prefix: What its names begin with in that of a model.

    Returns:
        The record. PyTorch's two biases of a gate are added up, but for those of the candidate.

    Raises:
        ArgumentError: An array is missing, or is one that the builtin has no place for.
        ShapeError: An array of another shape than PyTorch's.
    """
    w, u, b, c = recurrence("gru_from_torch", state, "rzn", layer, prefix)
    weights = {f"w{gate}": w[gate] for gate in "rzn"} | {f"u{gate}": u[gate] for gate in "rzn"}
    if b is None:
        return weights
    return weights | {"br": b["r"] + c["r"], "bz": b["z"] + c["z"], "bn": b["n"], "cn": c["n"]}


def lstm_from_torch(state: State, layer: str = "l0", *, prefix: str = "") -> dict[str, Any]:
    """Make the weights of `lstm_forward` from those of one layer of `torch.nn.LSTM`.

    Args:
        state: Its state dict, or that of a model which it is a part of.
        layer: How the names of the layer end: l0 is the first; l0_reverse reads the rows from the last to the first.
        prefix: What its names begin with in that of a model.

    Returns:
        The record. PyTorch's two biases of a gate are added up.

    Raises:
        ArgumentError: An array is missing, or is one that the builtin has no place for, such as that of `proj_size`.
        ShapeError: An array of another shape than PyTorch's.
    """
    w, u, b, c = recurrence("lstm_from_torch", state, "ifgo", layer, prefix)
    weights = {f"w{gate}": w[gate] for gate in "ifgo"} | {f"u{gate}": u[gate] for gate in "ifgo"}
    return weights if b is None else weights | {f"b{gate}": b[gate] + c[gate] for gate in "ifgo"}


def recurrence(caller, state, gates, layer, prefix):
    """The matrices for the row and for the state and both biases, each by the gates that are packed into it."""
    own = {name: array for name, array in state.items() if name.endswith(f"_{layer}")}
    w, u, b, c = names = [f"{kind}_{layer}" for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    arrays = read(caller, own, prefix, (w, u), (b, c))
    size, packed = arrays[u].shape[-1], len(gates) * arrays[u].shape[-1]
    shapes = {w: (packed, *arrays[w].shape[1:2]), u: (packed, size), b: (packed,), c: (packed,)}
    refuse_other_shapes(caller, arrays, shapes)
    parts = [np.split(arrays[name].T, len(gates), axis=-1) if name in arrays else None for name in names]
    return [part and dict(zip(gates, part, strict=True)) for part in parts]

"""The ops as a user of an array library would write them; `np` is that library's NumPy-like module."""

from typing import Any

EPS = 1e-5


def layer_norm(np: Any, x: Any, gamma: Any, beta: Any) -> Any:
    """Layer normalization over the last axis.

    Args:
        np: The library.
        x: The rows.
        gamma: The scale.
        beta: The offset.

    Returns:
        The normalized rows.
    """
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return gamma * centred / np.sqrt(variance + EPS) + beta


def attention(np: Any, q: Any, k: Any, v: Any, bias: Any) -> Any:
    """Scaled dot-product attention.

    Args:
        np: The library.
        q: The queries.
        k: The keys.
        v: The values.
        bias: Added to the scores: a large negative number where a pair is blocked; or None.

    Returns:
        The weighted averages of the values.
    """
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * q.shape[-1] ** -0.5
    if bias is not None:
        scores = scores + bias
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return np.matmul(weights / np.sum(weights, axis=-1, keepdims=True), v)


def multi_head_attention(np: Any, x: Any, wqkv: Any, wo: Any, n_heads: int) -> Any:
    """Self-attention with packed weights.

    Args:
        np: The library.
        x: The rows.
        wqkv: The projections to queries, keys and values of all heads, side by side.
        wo: The projections back, below one another.
        n_heads: How many heads there are.

    Returns:
        The sum of what the heads found.
    """
    n, d = x.shape
    split = np.reshape(np.matmul(x, wqkv), (n, 3, n_heads, d // n_heads))
    q, k, v = (np.swapaxes(split[:, i], 0, 1) for i in range(3))
    return np.matmul(np.reshape(np.swapaxes(attention(np, q, k, v, None), 0, 1), (n, d)), wo)


def transformer_block(np: Any, x: Any, w: dict[str, Any], n_heads: int) -> Any:
    """A post-norm encoder block.

    Args:
        np: The library.
        x: The rows.
        w: The weights, those of the heads packed as `wqkv` and `wo`.
        n_heads: How many heads there are.

    Returns:
        Rows like x.
    """
    attended = multi_head_attention(np, x, w["wqkv"], w["wo"], n_heads)
    h = layer_norm(np, x + attended, w["ln1_gamma"], w["ln1_beta"])
    inner = np.maximum(np.matmul(h, w["w1"]) + w["b1"], 0)
    return layer_norm(np, h + np.matmul(inner, w["w2"]) + w["b2"], w["ln2_gamma"], w["ln2_beta"])

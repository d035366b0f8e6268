"""Positions: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

NONE = "It has none; the [definition](#definition) is NumPy"

POSITIONS = {
    "rope": {
        "numpy": NONE,
        "torch": "It has none. The Llama and GPT-NeoX of transformers pair entries i and i + P, as `halves` does; "
        "torchtune's `RotaryPositionalEmbeddings` and Llama as Meta published it pair 2i and 2i + 1, as "
        "`interleaved` does. Transformers takes angles in float32, whatever the precision",
        "jax": "It has none",
        "onnx": Operator(
            "RotaryEmbedding",
            23,
            "`interleaved=1` is `interleaved`, and `rotary_embedding_dim` is `width`, 0 for all. It takes tables of "
            "cosines and sines in the place of `base`, a row for each position",
        ),
    },
    "sinusoidal_positions": {
        "numpy": NONE,
        "torch": "It has none. Most tutorials interleave, as here; fairseq and the authors' own code have all sines "
        "first, with 1/base as the last frequency, so its columns differ from `halves` too, and a column of "
        "zeros if d is odd",
        "jax": "It has none",
        "onnx": "It has none",
    },
    "alibi_bias": {
        "numpy": NONE,
        "torch": "It has none. `build_alibi_tensor` of transformers' BLOOM gives slope · j, without the query's "
        "position: with a causal mask the softmax is the same, but without one it is not",
        "jax": "It has none",
        "onnx": "It has none; as `attn_mask`, a tensor of numbers, `Attention`, opset 25, adds it to the scores",
    },
    "sliding_window_mask": {
        "numpy": Call("np.tri(n_queries, k=right, dtype=bool) & ~np.tri(n_queries, k=-left - 1, dtype=bool)"),
        "torch": Call(
            "torch.ones(n_queries, n_queries, dtype=torch.bool).tril(right).triu(-left)",
            "FlashAttention's `window_size=(left, right)` counts as here, and aligns at the lower right. In "
            "transformers, `sliding_window=w` holds w keys with the query's own: `left=w - 1`",
        ),
        "jax": Call(
            "jnp.tri(n_queries, k=right, dtype=bool) & ~jnp.tri(n_queries, k=-left - 1, dtype=bool)",
            "`local_window_size=(left, right)` of `jax.nn.dot_product_attention` counts as here",
        ),
        "onnx": "`left_window_size` and `right_window_size` of `Attention`, opset 25, count as here",
    },
}

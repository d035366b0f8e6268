"""Attention, layer norm and the block: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

TRANSFORMER = {
    "append_to_cache": {
        "numpy": Call(
            "{'k': np.concatenate([cache['k'], k], axis=-2), 'v': np.concatenate([cache['v'], v], axis=-2)}",
            "With a cache; the call for the first rows gives them back",
        ),
        "torch": "It has none; transformers has `DynamicCache().update(k, v, layer)`, which keeps all layers in one "
        "object and changes it, with the axes batch, heads, rows, width as here. Its `StaticCache` has room for rows "
        "that are not there yet and must be masked, and its models take `past_key_values`, which newer versions call "
        "`cache`. FlashAttention's `flash_attn_with_kvcache` has the rows *before* the heads, and writes into the "
        "cache, behind as many rows as `cache_seqlens` says",
        "jax": "It has none; Flax's `MultiHeadAttention(decode=True)` keeps one of a fixed length, with the rows "
        "before the heads, and takes a single row at a time. On a cache of a fixed length one calls "
        "`jax.lax.dynamic_update_slice`, which moves what does not fit to the left, and writes over old rows, "
        "without an error",
        "onnx": "`past_key` and `present_key` of `Attention`, opset 23, are joined as here. `TensorScatter`, opset 24, "
        "writes into a cache of a fixed length, of which `nonpad_kv_seqlen` of `Attention` says how much is filled: "
        "that count is the one *after* the rows were written",
    },
    "attention_weights": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.softmax((q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf), dim=-1)",
            "A query that may attend to nothing gets NaN, where here it gets 0. `torch.nn.MultiheadAttention` returns "
            "the mean of its heads' weights",
        ),
        "jax": Call(
            "jax.nn.softmax(q @ jnp.matrix_transpose(k) / q.shape[-1] ** 0.5, axis=-1, where=mask)",
            "`where` takes the mask as it is here",
        ),
        "onnx": "`qk_matmul_output` of `Attention`, opset 25, with `qk_matmul_output_mode` 3. `left_window_size` and "
        "`right_window_size` are the two numbers of `window`, and a `softcap` of 0 means none",
    },
    "causal_mask": {
        "numpy": Call(
            "np.tri(n_queries, dtype=bool)", 'With other numbers of keys, `np.tri(n_queries, n_keys)` is `"upper-left"`'
        ),
        "torch": Call(
            "torch.ones(n_queries, n_queries, dtype=torch.bool).tril()",
            "`torch.nn.Transformer.generate_square_subsequent_mask` gives numbers to be added instead: 0 and −∞",
        ),
        "jax": Call("jnp.tri(n_queries, dtype=bool)"),
        "onnx": Operator("Trilu", 14, "With `upper=0`, of a matrix of ones"),
    },
    "layer_norm": {
        "numpy": Call(
            "(x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * gamma + beta",
            "`np.var` divides by N, as here",
        ),
        "torch": Call(
            "F.layer_norm(x, gamma.shape, gamma, beta, eps)",
            "The second argument is the shape of the last axes, which are taken together; eps is 1e-5 as well. "
            "`torch.var` divides by N − 1 unless `correction=0`, but this function divides by N, as here",
        ),
        "jax": Call(
            "jax.nn.standardize(x, axis=-1, epsilon=eps) * gamma + beta",
            "It takes the mean square less the squared mean, and loses digits where the mean is large, unless "
            '`algorithm="stable"`. Flax\'s `LayerNorm` has an epsilon of 1e-6',
        ),
        "onnx": Operator(
            "LayerNormalization",
            17,
            "All axes from `axis` on are taken together, by default the last; `epsilon` is 1e-5",
        ),
    },
    "cross_attention": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.MultiheadAttention(x.shape[-1], n_heads, kdim=width, vdim=width, batch_first=True)",
            "It is called with x, memory and memory. Where the memory is as wide as x, `kdim` is left out, and "
            "one `in_proj_weight` holds all three matrices rather than `q_proj_weight` and so on. Masks are the other "
            "way round: true means *blocked*",
        ),
        "jax": "It has none; Flax has `MultiHeadAttention(...)(x, memory)`, true where a query may attend",
        "onnx": "`Attention`, opset 25, takes queries, keys and values that are projected already",
    },
    "decoder_block": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.TransformerDecoderLayer(x.shape[-1], n_heads, width, dropout=0.0, batch_first=True)",
            "It is not causal unless `tgt_mask` says so, and the memory must be as wide as x. Dropout is 0.1 and the "
            "length comes first unless told otherwise; in its Boolean masks, true means *blocked*",
        ),
        "jax": "It has none",
        "onnx": "It has none: it is written with `Attention`, `MatMul`, `Relu` and `LayerNormalization`",
    },
    "grouped_query_attention": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)",
            "Heads of keys are repeated, as here; without `enable_gqa` a single head of keys is shared by "
            "broadcasting, and other numbers are an error. `is_causal=True` with more keys than queries lets the "
            "first query see the first key only, which is wrong for a cache. A mask of three axes is taken for one of "
            "all heads, whatever it was meant to be. transformers has `repeat_kv`, which repeats; a `Tensor.repeat` "
            "in its place tiles, and nothing fails",
        ),
        "jax": Call(
            "jnp.moveaxis(jax.nn.dot_product_attention(jnp.moveaxis(q, -3, -2), jnp.moveaxis(k, -3, -2), "
            "jnp.moveaxis(v, -3, -2), mask=mask), -2, -3)",
            "The axis of the heads comes behind that of the rows. Heads of keys are repeated, as here. With "
            "`is_causal=True` the first query sees the first key only, with a cache too. Values are as wide as keys",
        ),
        "onnx": Operator(
            "Attention",
            23,
            "With more heads in Q than in K, or with `q_num_heads` and `kv_num_heads`; they are repeated, as here. "
            "`is_causal` counts queries from the end of `past_key`, and from the first key where there is none. The "
            "operator `GroupQueryAttention` of ONNX Runtime is always causal, and its `seqlens_k` is the number of "
            "keys less 1",
        ),
    },
    "llama_block": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": "It has none; transformers has `LlamaDecoderLayer`, which keeps the transposes of all heads' matrices "
        "below one another, and computes norms and angles in float32 whatever the precision. Its `sliding_window=w` is "
        "`window=(w - 1, 0)`, and its heads are shared as here; some others let query head h use key head h % Hk. "
        "Checkpoints that Meta published turn entries 2i and 2i + 1 together: their wq and wk have other columns",
        "jax": "It has none",
        "onnx": "It has none: it is written with `RMSNormalization` and `RotaryEmbedding`, opset 23, `Attention`, "
        "whose heads are shared as here, and `Swish`, opset 24",
    },
    "multi_head_attention": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.MultiheadAttention(x.shape[-1], n_heads, batch_first=True)",
            "It is called with x three times. In its Boolean `attn_mask` and `key_padding_mask`, true means *blocked*, "
            "the opposite of `mask` and "
            "`key_mask` here. All heads are as wide as x's width divided by their number. `in_proj_weight` holds the "
            "transposes of all wq, then all wk, then all wv, and `in_proj_bias` their biases; with `bias=False` there "
            "are none, nor `bo`. The length comes before the batch unless `batch_first=True`. A row that may attend to "
            "nothing gets NaN, where here it gets 0",
        ),
        "jax": "It has none; Flax has `MultiHeadAttention`, whose mask is true where a query may attend, as here",
        "onnx": "`Attention`, opset 25, takes the heads side by side with `q_num_heads` and `kv_num_heads`, "
        "already projected",
    },
    "multi_head_weights": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": "The second result of `torch.nn.MultiheadAttention`: the mean over the heads, unless "
        "`average_attn_weights=False`. In models of transformers, `output_attentions=True`",
        "jax": "It has none; Flax keeps them with `sow_weights=True`",
        "onnx": "`qk_matmul_output` of `Attention`, opset 25, with `qk_matmul_output_mode` 3",
    },
    "scaled_dot_product_attention": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
            "A Boolean `attn_mask` is true where a query may attend, as here, and the opposite of that of "
            "`torch.nn.MultiheadAttention`; one of numbers is added to the scores, so 0 and 1 block nothing: that is "
            "`bias` here. `is_causal=True` allows no mask beside it, and with other numbers of queries and keys it "
            "lets the first query see the first key only, where here that must be said. It has neither window nor "
            "softcap. FlashAttention has both: `window_size=(left, right)` counts as `window` does here, while "
            "`sliding_window=w` in models of transformers lets a query see w keys, its own among them",
        ),
        "jax": Call(
            "jax.nn.dot_product_attention(q[:, None], k[:, None], v[:, None], mask=mask[None])[:, 0]",
            "The axis of the heads comes behind that of the length, and is needed; values must be as wide as keys, "
            "and the weights are computed in float32. The mask is Boolean and true where a query may attend. A query "
            "that may attend to nothing gets the mean of all values, where here it gets 0. `local_window_size=(l, r)` "
            "is `window=(l, r)`",
        ),
        "onnx": Operator(
            "Attention",
            25,
            "Four axes, or three and the number of heads. A Boolean `attn_mask` is true where a query may attend, one "
            "of numbers is added to the scores; `is_causal` may stand beside either. `softcap=0` means none",
        ),
    },
    "transformer_block": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.TransformerEncoderLayer(x.shape[-1], n_heads, width, dropout=0.0, batch_first=True)",
            '`norm_first=True` is `norm="pre"`. Dropout is 0.1 and the length comes first unless told otherwise; '
            "in its Boolean masks, true means *blocked*. Its activation is relu as here, and its gelu that of erf",
        ),
        "jax": "It has none",
        "onnx": "It has none: it is written with `Attention`, `MatMul`, `Relu` and `LayerNormalization`",
    },
}

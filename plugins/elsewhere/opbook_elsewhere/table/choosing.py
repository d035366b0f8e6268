"""Embedding, one-hot vectors, and choosing from scores: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

CHOOSING = {
    "embedding": {
        "numpy": Call("table[ids]", "A negative id counts from the end, where here it is an error"),
        "torch": Call(
            "F.embedding(ids, table)",
            "The ids come first. `padding_idx` may be negative there, and counts from the end",
        ),
        "jax": Call(
            "jnp.take(table, ids, axis=0)",
            "An id that is out of range gives a row of NaN, and with `table[ids]` the last row, without a word. "
            "The gradient adds up what equal ids get, as here",
        ),
        "onnx": Operator("Gather", 11, "A negative id counts from the end"),
    },
    "one_hot": {
        "numpy": Call("np.eye(n)[ids]", "A negative number counts from the end, where here it is an error"),
        "torch": Call(
            "F.one_hot(ids, n)",
            "The result is of whole numbers, int64. Without n it is as long as the largest number needs",
        ),
        "jax": Call("jax.nn.one_hot(ids, n)", "A number that is out of range gives zeros, where here it is an error"),
        "onnx": Operator(
            "OneHot",
            11,
            "A negative number counts from the end, and one that is out of range gives a vector of off-values, where "
            "here both are errors",
        ),
    },
    "sample": {
        "numpy": "It has none; `np.random.Generator.choice(V, p=softmax(logits))` chooses for one row, in the same way",
        "torch": "`torch.multinomial(softmax(logits), 1)` draws from a hidden state: the same call gives other choices",
        "jax": "`jax.random.categorical(key, logits)` takes a key, adds Gumbel noise and takes the largest",
        "onnx": "`Multinomial` draws with a seed, and takes unnormalized log-probabilities",
    },
    "top_k": {
        "numpy": "It has none; `np.argsort(-x, axis, stable=True)` and `np.take_along_axis` make it",
        "torch": Call(
            "torch.topk(x, k, dim=axis).values",
            "It returns the pair of values and indices. Which of equal entries comes first is not specified. NaN "
            "counts as the largest, where here it is the smallest",
        ),
        "jax": Call("jnp.moveaxis(jax.lax.top_k(jnp.moveaxis(x, axis, -1), k)[0], -1, axis)"),
        "onnx": Operator(
            "TopK", 11, "k is an array with one entry; of equal entries the lower index comes first, as here"
        ),
    },
    "top_p_filter": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": "It has none. Transformers has `TopPLogitsWarper`, which keeps the same classes, but for those whose "
        "probability is rounded to 0 with p = 1. Some samplers drop the class that crosses p",
        "jax": "It has none",
        "onnx": "It has none: it is written with `Softmax`, `TopK`, `CumSum`, `Less`, `ScatterElements` and `Where`",
    },
}

"""Recurrences: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

RECURRENCE = {
    "gru_forward": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.GRU(width, size, batch_first=True)",
            "The reset is always after. The matrices are packed as r, z, n, below one another and transposed; r and z "
            "have two biases, which add up. It returns the states and the last one",
        ),
        "jax": "It has none; Flax's `GRUCell` resets after. Keras's `GRU` does so by default, and before with "
        "`reset_after=False`; its matrices are packed as z, r, n, and it returns the last state only",
        "onnx": Operator(
            "GRU",
            14,
            "The reset is *before* unless `linear_before_reset=1`. The matrices are packed as z, r, n, below one "
            "another and transposed; time is the first axis",
        ),
    },
    "lstm_forward": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.LSTM(width, size, batch_first=True)",
            "The matrices are packed as i, f, g, o, below one another and transposed, with two biases that add up. It "
            "returns all h, but only the last c",
        ),
        "jax": "It has none; Flax has `OptimizedLSTMCell`. Keras's `LSTM` packs i, f, c, o, where c is the candidate, "
        "starts with a bias of 1 for f, and returns the last h only",
        "onnx": Operator(
            "LSTM",
            14,
            "The matrices are packed as i, o, f, c, below one another and transposed; time is the first axis",
        ),
    },
    "rnn_forward": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.RNN(width, size, batch_first=True)",
            "Its matrices are transposed, and it has two biases, which add up. It returns the states and the last one",
        ),
        "jax": "It has none; Flax has `SimpleCell`. Keras's `SimpleRNN` returns the last state only",
        "onnx": Operator("RNN", 14, "Its matrices are transposed; time is the first axis"),
    },
}

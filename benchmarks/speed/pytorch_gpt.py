"""The course's GPT and its training as one writes them with PyTorch's fused functions. Needs PyTorch."""

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from speed.training import RATE, Model

INPUTS = ("wq", "wk", "wv")


class Trainer:
    """A training in PyTorch, from the same weights and with the same batch.

    Args:
        model: The model.
        batch: How many texts to take of a batch; all if it is left out.
    """

    def __init__(self, model: Model, batch: int | None = None) -> None:
        weights, rows = model.start()
        self._heads = model.sizes["heads"]
        rows = torch.from_numpy(rows[:batch])
        self._seen, self._said = rows[:, :-1], rows[:, 1:].reshape(-1)
        self._blocks = [_packed(block) for block in weights.pop("blocks")]
        self._weights = {name: _parameter(array) for name, array in weights.items()}
        self._parameters = [*self._weights.values(), *(p for block in self._blocks for p in block.values())]
        self._optimizer = torch.optim.AdamW(self._parameters, **RATE)

    def gradients(self) -> Any:
        """Compute the loss, and leave the gradients in the parameters."""
        self._optimizer.zero_grad()
        loss = functional.cross_entropy(self._logits(), self._said)
        loss.backward()
        return loss.item()

    def step(self) -> Any:
        """Take a step as well."""
        loss = self.gradients()
        self._optimizer.step()
        return loss

    def _logits(self) -> Any:
        w = self._weights
        x = functional.embedding(self._seen, w["tokens"]) + w["positions"]
        for block in self._blocks:
            x = self._block(x, block)
        x = functional.layer_norm(x, x.shape[-1:], w["ln_gamma"], w["ln_beta"])
        return torch.addmm(w["b"], x.flatten(0, 1), w["w"])

    def _block(self, x: Any, w: dict[str, Any]) -> Any:
        n, t, d = x.shape
        h = functional.layer_norm(x, (d,), w["ln1_gamma"], w["ln1_beta"])
        q, k, v = (h @ w["wqkv"]).reshape(n, t, 3, self._heads, d // self._heads).permute(2, 0, 3, 1, 4)
        answers = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + answers.transpose(1, 2).reshape(n, t, d) @ w["wo"]
        h = functional.layer_norm(x, (d,), w["ln2_gamma"], w["ln2_beta"]).flatten(0, 1)
        inner = functional.gelu(torch.addmm(w["b1"], h, w["w1"]), approximate="tanh")
        return x + torch.addmm(w["b2"], inner, w["w2"]).reshape(n, t, d)

    def gradients_as_in_opbook(self) -> dict[str, Any]:
        """Compute the gradients.

        Returns:
            A tree that is built as opbook's weights are.
        """
        self.gradients()
        found: dict[str, Any] = {name: p.grad.numpy() for name, p in self._weights.items()}
        return found | {"blocks": tuple(self._apart(block) for block in self._blocks)}

    def _apart(self, block: dict[str, Any]) -> dict[str, Any]:
        """The gradients of a block, with those of each head apart."""
        found = {name: p.grad.numpy() for name, p in block.items()}
        inputs = np.split(found.pop("wqkv"), 3 * self._heads, axis=1)  # all wq, then all wk, then all wv
        outputs = np.split(found.pop("wo"), self._heads)
        heads = [
            dict(zip(INPUTS, inputs[h :: self._heads], strict=True)) | {"wo": outputs[h]} for h in range(self._heads)
        ]
        return {"heads": tuple(heads), **found}


def _packed(block: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a block, with the weights of all heads in one array each."""
    heads = block["heads"]
    arrays = {
        "wqkv": np.concatenate([head[name] for name in INPUTS for head in heads], axis=1),
        "wo": np.concatenate([head["wo"] for head in heads]),
        **{name: array for name, array in block.items() if name != "heads"},
    }
    return {name: _parameter(array) for name, array in arrays.items()}


def _parameter(array: Any) -> Any:
    return torch.from_numpy(array.copy()).requires_grad_()

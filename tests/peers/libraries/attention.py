"""Attention: what the page on disagreements says of masks, heads, positions and sampling."""

from types import SimpleNamespace

import numpy as np
from peers.libraries.tools import jax, numpy, onnx, tensor, torch

Q, K = np.zeros((1, 1, 1, 2)), np.zeros((1, 1, 3, 2))
V = np.array([[1.0, 0], [2, 0], [6, 0]])[None, None]
ALLOWED = np.array([[True, True, False]])
SCORES = SimpleNamespace(q=np.zeros((1, 1, 1, 1)), k=np.zeros((1, 1, 2, 1)), v=np.array([1.0, 5.0]).reshape(1, 1, 2, 1))
EMPTY = np.zeros((1, 2), bool)


def of_pytorch(q, k, v, mask=None, **options):
    function = torch().nn.functional.scaled_dot_product_attention
    return numpy(function(*map(tensor, (q, k, v)), attn_mask=None if mask is None else tensor(mask), **options))


def of_jax(q, k, v, mask=None, **options):
    def call(jax):
        swapped = (np.moveaxis(one, 1, 2).astype("float32") for one in (q, k, v))
        return jax.nn.dot_product_attention(*swapped, mask=None if mask is None else mask[None, None], **options)

    return np.moveaxis(jax(call), 2, 1)


def multi_head_of_pytorch(q, k, v, mask):
    width = q.shape[-1]
    layer = torch().nn.MultiheadAttention(width, 1, bias=False, batch_first=True).double()
    eye = np.eye(width)
    layer.load_state_dict({"in_proj_weight": tensor(np.concatenate([eye] * 3)), "out_proj.weight": tensor(eye)})
    return numpy(layer(*(tensor(one[0]) for one in (q, k, v)), attn_mask=tensor(mask))[0])


def multi_head_of_keras(q, k, v, mask):
    import keras

    width = q.shape[-1]
    layer = keras.layers.MultiHeadAttention(1, width, use_bias=False)
    arrays = [one[0].astype("float32") for one in (q, v, k)]
    layer.build(*(one.shape for one in arrays))
    eye = np.eye(width)
    layer.set_weights([eye.reshape(weight.shape) for weight in layer.get_weights()])
    return numpy(layer(*arrays, attention_mask=mask[None]))


def attention_of_flax(q, k, v, mask):
    from flax import linen

    swapped = (np.moveaxis(one, 1, 2) for one in (q, k, v))
    return linen.dot_product_attention(*swapped, mask=mask[None, None])


def seen(weights):
    """Which keys have a weight."""
    return (np.asarray(weights) > 1e-9).astype(int)


def seen_by(attend, n_queries, n_keys, **options):
    """What each query sees: the values are the rows of an identity."""
    q, k, v = np.zeros((1, 1, n_queries, n_keys)), np.zeros((1, 1, n_keys, n_keys)), np.eye(n_keys)[None, None]
    return seen(attend(q, k, v, **options)[0, 0])


def of_onnx(q, k, v, mask=None, opset=None, **attributes):
    return onnx("Attention", [q, k, v, mask], opset, **attributes)[0]


def causal_lower_right():
    from torch.nn.attention.bias import causal_lower_right

    q, k, v = tensor(np.zeros((1, 1, 2, 4))), tensor(np.zeros((1, 1, 4, 4))), tensor(np.eye(4)[None, None])
    attend = torch().nn.functional.scaled_dot_product_attention
    return seen(numpy(attend(q, k, v, attn_mask=causal_lower_right(2, 4)))[0, 0])


def mask_of_transformers(overlay, queries, keys):
    """What a mask of transformers lets each query of a cache see."""
    return np.array([[int(overlay(0, 0, torch().tensor(i), torch().tensor(j))) for j in keys] for i in queries])


def causal_of_transformers():
    from transformers.masking_utils import causal_mask_function

    return mask_of_transformers(
        causal_mask_function, (2, 3), range(4)
    )  # the positions of two queries with two keys before


def window_of_transformers():
    from transformers.masking_utils import sliding_window_causal_mask_function

    return mask_of_transformers(sliding_window_causal_mask_function(2), [4], range(5))[0]


GROUPED = (np.zeros((1, 4, 1, 1)), np.zeros((1, 2, 1, 1)), np.array([1.0, 2.0]).reshape(1, 2, 1, 1))


def grouped_of_transformers():
    from transformers.models.llama.modeling_llama import repeat_kv

    return numpy(repeat_kv(tensor(GROUPED[2]), 2)).ravel()


CAPPED = (np.array([1.0]).reshape(1, 1, 1, 1), np.array([2.0, 1.0, 3.0]).reshape(1, 1, 3, 1), np.eye(3)[None, None])


def softcap_of_gemma():
    from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward

    module = SimpleNamespace(num_key_value_groups=1, training=False, head_dim=1)
    blocked = np.where(ALLOWED, 0.0, -np.inf)[None, None]
    tensors = [tensor(one) for one in CAPPED]
    _, weights = eager_attention_forward(module, *tensors, tensor(blocked), scaling=1.0, softcap=2.0)
    return numpy(weights).ravel()


ROPE_X = np.array([1.0, 2.0, 3.0, 4.0]).reshape(1, 1, 1, 4)


def rope_of_llama():
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    angles = np.concatenate([[1.0, 0.01]] * 2)[None, None]
    x = tensor(ROPE_X)
    return numpy(apply_rotary_pos_emb(x, x, tensor(np.cos(angles)), tensor(np.sin(angles)))[0]).ravel()


def rope_of_gptj():
    from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb

    angles = tensor(np.array([[[1.0, 0.01]]]))
    return numpy(apply_rotary_pos_emb(tensor(ROPE_X), angles.sin(), angles.cos())).ravel()


def rope_of_onnx():
    angles = np.array([[1.0, 0.01]])
    return onnx("RotaryEmbedding", [ROPE_X, np.cos(angles)[None], np.sin(angles)[None]])[0].ravel()


def top_p_of_transformers():
    from transformers import TopPLogitsWarper

    scores = TopPLogitsWarper(0.6)(None, tensor(np.log([[0.5, 0.3, 0.2]])))
    return np.flatnonzero(np.isfinite(numpy(scores)[0]))


CHECKS = {
    "What true means in a mask": [
        ("PyTorch", "may attend", lambda: of_pytorch(Q, K, V, ALLOWED)[0, 0, 0]),
        ("JAX", "may attend", lambda: of_jax(Q, K, V, ALLOWED)[0, 0, 0]),
        ("Keras", "may attend", lambda: multi_head_of_keras(Q, K, V, ALLOWED)[0, 0]),
        ("Flax", "may attend", lambda: attention_of_flax(Q, K, V, ALLOWED)[0, 0, 0]),
        ("ONNX", "may attend", lambda: of_onnx(Q, K, V, ALLOWED)[0, 0, 0]),
        ("PyTorch", "is blocked", lambda: multi_head_of_pytorch(Q, K, V, ALLOWED)[0, 0]),
    ],
    "Causal, with fewer queries than keys": [
        ("PyTorch", "upper-left", lambda: seen_by(of_pytorch, 2, 4, is_causal=True)),
        ("JAX", "upper-left", lambda: seen_by(of_jax, 2, 4, is_causal=True)),
        ("ONNX", "upper-left", lambda: seen_by(of_onnx, 2, 4, is_causal=1)),
        ("PyTorch", "lower-right", causal_lower_right),
        ("transformers", "lower-right", causal_of_transformers),
    ],
    "How many keys a window holds": [
        ("JAX", "w + 1", lambda: seen_by(of_jax, 5, 5, local_window_size=(2, 0))[-1]),
        ("ONNX", "w + 1", lambda: seen_by(of_onnx, 5, 5, left_window_size=2, right_window_size=0)[-1]),
        ("transformers", "w", window_of_transformers),
    ],
    "Whose keys a query head uses": [
        ("PyTorch", "neighbours", lambda: of_pytorch(*GROUPED, enable_gqa=True).ravel()),
        ("JAX", "neighbours", lambda: of_jax(*GROUPED).ravel()),
        ("ONNX", "neighbours", lambda: of_onnx(*GROUPED).ravel()),
        ("transformers", "neighbours", grouped_of_transformers),
    ],
    "Softcap and mask": [
        ("ONNX", "softcap first", lambda: of_onnx(*CAPPED, ALLOWED, softcap=2.0, scale=1.0).ravel()),
        ("transformers", "softcap first", softcap_of_gemma),
    ],
    "A query that may attend to nothing": [
        ("ONNX", "zero", lambda: of_onnx(SCORES.q, SCORES.k, SCORES.v, EMPTY).ravel()),
        ("PyTorch", "zero", lambda: of_pytorch(SCORES.q, SCORES.k, SCORES.v, EMPTY).ravel()),
        ("JAX", "the mean of all", lambda: of_jax(SCORES.q, SCORES.k, SCORES.v, EMPTY).ravel()),
        ("Keras", "the mean of all", lambda: multi_head_of_keras(SCORES.q, SCORES.k, SCORES.v, EMPTY).ravel()),
        ("PyTorch", "nan", lambda: multi_head_of_pytorch(SCORES.q, SCORES.k, SCORES.v, ~EMPTY).ravel()),
    ],
    "Which entries rope turns together": [
        ("transformers", "halves", rope_of_llama),
        ("ONNX", "halves", rope_of_onnx),
        ("transformers", "interleaved", rope_of_gptj),
    ],
    "The edge of top-p": [("transformers", "kept", top_p_of_transformers)],
}

"""The blocks against transformers' own modules: models of random weights, in float64, to 1e-10."""

import inspect
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from opbook import ops, vjp
from opbook.autodiff import tree

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")

pytestmark = pytest.mark.peer

GUIDE = Path(__file__).parents[2] / "docs/howto/write-with-a-cache.md"

PARTS = (slice(0, 3), slice(3, 5), slice(5, 6), slice(6, 7))
"""A prompt of three rows, two rows at once, and then a row at a time."""

IDS = np.array([[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5, 8, 9, 7]])


def model_of(name, **sizes):
    """A small model of random weights, none of which is 0 or 1, and its parameters as NumPy arrays."""
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(vocab_size=11, attn_implementation="sdpa", **sizes)
    model = getattr(transformers, f"{name}Model")(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.1, 0.4)
    return model, {key: value.numpy() for key, value in model.state_dict().items()}


def hidden_states(model, **inputs):
    with torch.no_grad():
        return model(torch.tensor(IDS), **inputs).last_hidden_state.numpy()


def heads_of(wq, wk, wv, wo, bq, bk, bv, n):
    """A record for each of n heads, from matrices that hold them side by side, as `x @ w` has them."""
    parts = {"wq": wq, "wk": wk, "wv": wv, "bq": bq, "bk": bk, "bv": bv}
    split = {name: np.split(array, n, axis=-1) for name, array in parts.items()} | {"wo": np.split(wo, n)}
    return tuple({name: pieces[i] for name, pieces in split.items()} for i in range(n))


def bert_block(p, i):
    at = f"encoder.layer.{i}."

    def linear(name):
        return p[f"{at}{name}.weight"].T, p[f"{at}{name}.bias"]

    (wq, bq), (wk, bk), (wv, bv) = (linear(f"attention.self.{name}") for name in ("query", "key", "value"))
    wo, bo = linear("attention.output.dense")
    w1, b1 = linear("intermediate.dense")
    w2, b2 = linear("output.dense")
    return {
        "heads": heads_of(wq, wk, wv, wo, bq, bk, bv, 3),
        **{"bo": bo, "w1": w1, "b1": b1, "w2": w2, "b2": b2},
        "ln1_gamma": p[f"{at}attention.output.LayerNorm.weight"],
        "ln1_beta": p[f"{at}attention.output.LayerNorm.bias"],
        "ln2_gamma": p[f"{at}output.LayerNorm.weight"],
        "ln2_beta": p[f"{at}output.LayerNorm.bias"],
    }


def test_bert():
    model, p = model_of(
        "Bert",
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=20,
        max_position_embeddings=9,
        hidden_act="gelu",
    )
    key_mask = np.arange(7) < np.array([[7], [5]])
    words = p["embeddings.word_embeddings.weight"][IDS] + p["embeddings.token_type_embeddings.weight"][0]
    x = words + p["embeddings.position_embeddings.weight"][:7]
    x = ops.layer_norm(x, p["embeddings.LayerNorm.weight"], p["embeddings.LayerNorm.bias"], eps=1e-12)
    for i in range(2):
        x = ops.transformer_block(x, bert_block(p, i), key_mask=key_mask, activation="gelu", eps=1e-12)
    expected = hidden_states(model, attention_mask=torch.tensor(key_mask))
    np.testing.assert_allclose(x[key_mask], expected[key_mask], rtol=0, atol=1e-10)


def gpt2_block(p, i):
    """GPT-2 keeps its matrices as `x @ w` has them."""
    at = f"h.{i}."
    wq, wk, wv = np.split(p[f"{at}attn.c_attn.weight"], 3, axis=-1)
    bq, bk, bv = np.split(p[f"{at}attn.c_attn.bias"], 3)
    names = {
        "bo": "attn.c_proj.bias",
        "ln1_gamma": "ln_1.weight",
        "ln1_beta": "ln_1.bias",
        "w1": "mlp.c_fc.weight",
        "b1": "mlp.c_fc.bias",
        "w2": "mlp.c_proj.weight",
        "b2": "mlp.c_proj.bias",
        "ln2_gamma": "ln_2.weight",
        "ln2_beta": "ln_2.bias",
    }
    heads = heads_of(wq, wk, wv, p[f"{at}attn.c_proj.weight"], bq, bk, bv, 3)
    return {"heads": heads} | {mine: p[at + theirs] for mine, theirs in names.items()}


def test_gpt2():
    model, p = model_of("GPT2", n_embd=12, n_layer=2, n_head=3, n_positions=9)
    x = p["wte.weight"][IDS] + p["wpe.weight"][:7]
    for i in range(2):
        x = ops.transformer_block(x, gpt2_block(p, i), norm="pre", activation="gelu-tanh", causal=True)
    x = ops.layer_norm(x, p["ln_f.weight"], p["ln_f.bias"])
    np.testing.assert_allclose(x, hidden_states(model), rtol=0, atol=1e-10)


def by_heads(weight, n):
    """A matrix that holds n heads below one another, as `y = w x` has them, as one matrix for each head."""
    return np.stack([part.T for part in np.split(weight, n)])


def llama_weights(p, i, n_heads, n_key_heads):
    at = f"layers.{i}."
    counts = {"q": n_heads, "k": n_key_heads, "v": n_key_heads}
    weights = {f"w{name}": by_heads(p[f"{at}self_attn.{name}_proj.weight"], n) for name, n in counts.items()}
    biases = {f"b{name}": p.get(f"{at}self_attn.{name}_proj.bias") for name in counts}
    weights |= {name: b.reshape(counts[name[1]], -1) for name, b in biases.items() if b is not None}
    return weights | {
        "wo": np.stack(np.split(p[f"{at}self_attn.o_proj.weight"].T, n_heads)),
        "rms1_gamma": p[f"{at}input_layernorm.weight"],
        "rms2_gamma": p[f"{at}post_attention_layernorm.weight"],
        "ffn": {f"w_{name}": p[f"{at}mlp.{name}_proj.weight"].T for name in ("gate", "up", "down")},
    }


class Angles(torch.nn.Module):
    """The cosines and sines of rotary positions in float64, as transformers' own module gives them in float32."""

    def __init__(self, width, base):
        super().__init__()
        self.frequencies = base ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)

    def forward(self, x, position_ids):
        angles = torch.cat([position_ids[..., None] * self.frequencies] * 2, dim=-1)
        return angles.cos(), angles.sin()


def in_float64(model, width, base):
    """Replace the two parts of a model that round to float32 whatever its precision."""
    model.rotary_emb = Angles(width, base)
    for path, module in list(model.named_modules()):
        if type(module).__name__.endswith("RMSNorm"):
            exact = torch.nn.RMSNorm(module.weight.shape, eps=module.variance_epsilon, dtype=torch.float64)
            exact.weight.data = module.weight.data
            model.set_submodule(path, exact)
    return model


@pytest.mark.parametrize(("name", "options"), [("Llama", {}), ("Qwen2", {}), ("Mistral", {"sliding_window": 3})])
@pytest.mark.parametrize(("n_heads", "n_key_heads"), [(6, 2), (4, 4), (3, 1)])
def test_llama(name, options, n_heads, n_key_heads):
    model, p = model_of(
        name,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=n_heads,
        num_key_value_heads=n_key_heads,
        head_dim=4,
        intermediate_size=20,
        rms_norm_eps=1e-6,
        rope_theta=100.0,
        **options,
    )
    base = model.config.rope_parameters["rope_theta"]
    window = (options["sliding_window"] - 1, 0) if options else None
    x = p["embed_tokens.weight"][IDS]
    for i in range(2):
        weights = llama_weights(p, i, n_heads, n_key_heads)
        assert ("bq" in weights) is (name == "Qwen2")
        x = ops.llama_block(x, weights, base=base, window=window, eps=1e-6)
    x = ops.rms_norm(x, p["norm.weight"], eps=1e-6)
    np.testing.assert_allclose(x, hidden_states(model), rtol=0, atol=1e-5)
    np.testing.assert_allclose(x, hidden_states(in_float64(model, 4, base)), rtol=0, atol=1e-10)


def test_the_gradients_of_llama():
    model, p = model_of(
        "Llama",
        hidden_size=12,
        num_hidden_layers=1,
        num_attention_heads=6,
        num_key_value_heads=2,
        head_dim=4,
        intermediate_size=20,
        rms_norm_eps=1e-6,
    )
    model, weights = in_float64(model, 4, 10000.0), llama_weights(p, 0, 6, 2)
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=(2, 7, 12)), rng.normal(size=(2, 7, 12))
    rows = torch.tensor(x, requires_grad=True)
    model(inputs_embeds=rows).last_hidden_state.backward(torch.tensor(g))
    _, pullback = vjp(
        lambda x, w: ops.rms_norm(ops.llama_block(x, w, eps=1e-6), p["norm.weight"], eps=1e-6), x, weights
    )
    dx, d_weights = pullback(g)
    np.testing.assert_allclose(dx, rows.grad.numpy(), rtol=0, atol=1e-10)
    theirs = {
        name: parameter.grad.numpy() for name, parameter in model.named_parameters() if name != "embed_tokens.weight"
    }
    expected = llama_weights(theirs, 0, 6, 2)
    for mine, due in zip(tree.leaves(d_weights), tree.leaves({n: expected[n] for n in weights}), strict=True):
        np.testing.assert_allclose(mine, due, rtol=0, atol=1e-9)


def step_of(name):
    """A function as the guide has it."""
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.S) if name in code]
    names = {}
    exec(code.partition("\nrng = ")[0], names)
    return names[name]


def in_parts(model, blocks, rows_of, step):
    """Both stacks of blocks, a part at a time, each with a cache of its own."""
    theirs, caches = None, [None] * len(blocks)
    word = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"  # in older versions
    for part in PARTS:
        with torch.no_grad():
            found = model(torch.tensor(IDS[:, part]), use_cache=True, **{word: theirs})
        theirs, x = found[word], rows_of(part)
        for i, weights in enumerate(blocks):
            x, caches[i] = step(x, weights, caches[i])
            for name, kept in (("k", "keys"), ("v", "values")):
                np.testing.assert_allclose(caches[i][name], getattr(theirs.layers[i], kept), rtol=0, atol=1e-10)
        yield x, found.last_hidden_state.numpy()


def test_gpt2_with_a_cache():
    model, p = model_of("GPT2", n_embd=12, n_layer=2, n_head=3, n_positions=9)
    blocks = [gpt2_block(p, i) for i in range(2)]

    def rows_of(part):
        return p["wte.weight"][IDS[:, part]] + p["wpe.weight"][part]

    for x, expected in in_parts(model, blocks, rows_of, step_of("gpt2_step")):
        x = ops.layer_norm(x, p["ln_f.weight"], p["ln_f.bias"])
        np.testing.assert_allclose(x, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("n_heads", "n_key_heads"), [(6, 2), (4, 4), (3, 1)])
def test_llama_with_a_cache(n_heads, n_key_heads):
    model, p = model_of(
        "Llama",
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=n_heads,
        num_key_value_heads=n_key_heads,
        head_dim=4,
        intermediate_size=20,
        rms_norm_eps=1e-6,
    )
    model, blocks = in_float64(model, 4, 10000.0), [llama_weights(p, i, n_heads, n_key_heads) for i in range(2)]

    def rows_of(part):
        return p["embed_tokens.weight"][IDS[:, part]]

    step = partial(step_of("llama_step"), eps=1e-6)
    for x, expected in in_parts(model, blocks, rows_of, step):
        np.testing.assert_allclose(ops.rms_norm(x, p["norm.weight"], eps=1e-6), expected, rtol=0, atol=1e-10)

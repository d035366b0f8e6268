"""The model and the training of chapters 7 and 8, and the stored run."""

import numpy as np
import opbook_course.runs as runs
import pytest
from click.testing import CliRunner
from opbook_course.command import course
from opbook_course.gpt import logits_of, loss_of, started
from opbook_course.training import train

from opbook import tree, value_and_grad

SMALL = {"symbols": 11, "length": 7, "width": 8, "heads": 2, "layers": 2}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_first_loss_is_about_that_of_a_guess(dtype):
    rng = np.random.default_rng(0)
    weights = started(rng, **SMALL, dtype=dtype)
    loss = loss_of(weights, rng.integers(11, size=(32, 8)))
    assert abs(loss - np.log(11)) < 0.1
    assert loss.dtype == dtype


def test_one_batch_is_learned_by_heart():
    rng = np.random.default_rng(1)
    rows = np.concatenate([np.arange(4)[:, None], rng.integers(11, size=(4, 7))], axis=1)  # the first says which it is
    *_, last = train(started(rng, **SMALL), loss_of, lambda: rows, steps=150, lr=2e-2, warmup=10)
    assert last.number == 150
    assert last.loss < 0.05


def test_what_stands_where_a_row_has_ended_counts_nowhere():
    rng = np.random.default_rng(2)
    weights, row = started(rng, **SMALL), rng.integers(11, size=(1, 5))
    longer = np.concatenate([row, np.full((1, 3), -1)], axis=1)
    assert np.isclose(loss_of(weights, longer), loss_of(weights, row), rtol=1e-12)


def test_the_gradient_of_the_whole_model_is_that_of_torch():
    torch = pytest.importorskip("torch")
    f = torch.nn.functional
    rng = np.random.default_rng(3)
    weights = tree.map(lambda leaf: leaf + rng.normal(size=leaf.shape) / 3, started(rng, **SMALL))
    rows = rng.integers(11, size=(3, 8))
    loss, grads = value_and_grad(loss_of)(weights, rows)

    w = tree.map(lambda leaf: torch.tensor(leaf, requires_grad=True), weights)
    ids = torch.tensor(rows)
    x = w["tokens"][ids[:, :-1]] + w["positions"]
    for b in w["blocks"]:
        r = f.layer_norm(x, (8,), b["ln1_gamma"], b["ln1_beta"])
        looked = 0
        for head in b["heads"]:
            q, k, v = (r @ head[name] for name in ("wq", "wk", "wv"))
            looked = looked + f.scaled_dot_product_attention(q, k, v, is_causal=True) @ head["wo"]
        x = x + looked
        r = f.layer_norm(x, (8,), b["ln2_gamma"], b["ln2_beta"])
        x = x + f.gelu(r @ b["w1"] + b["b1"], approximate="tanh") @ b["w2"] + b["b2"]
    scores = f.layer_norm(x, (8,), w["ln_gamma"], w["ln_beta"]) @ w["w"] + w["b"]
    peer = f.cross_entropy(scores.reshape(-1, 11), ids[:, 1:].reshape(-1))
    peer.backward()
    assert abs(loss - peer.item()) < 1e-12
    for ours, theirs in zip(tree.leaves(grads), tree.leaves(tree.map(lambda t: t.grad.numpy(), w)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


def test_the_stored_run_is_the_one_that_its_hash_names():
    run = runs.stored()
    about = (runs.STORED / "text.json").read_text("utf-8")
    assert f'"weights": "{run.hash}"' in about
    assert run.curve[-1].step == runs.STEPS
    assert run.curve[-1].held_out < 1.4
    assert {leaf.dtype.name for leaf in tree.leaves(run.weights)} == {"float32"}
    assert logits_of(run.weights, np.arange(5)).shape == (5, 96)


def test_a_run_begins_as_the_stored_one():
    first, was = next(runs.again()), runs.stored()
    if first.text != was.text:
        pytest.skip("this Python has another language reference than that of the stored run")
    assert abs(first.curve[0].held_out - was.curve[0].held_out) < 1e-4


def made(points, weights, text="t"):
    """A run that is made again without training anything: it is stopped behind its last point."""

    def again():
        for i in range(1, len(points) + 1):
            yield runs.Run(weights, points[:i], text, "3.11")
        raise KeyboardInterrupt

    return again


@pytest.mark.parametrize(
    ("shift", "code", "words"),
    [(0, 0, "The same to the bit, so far."), (0.01, 0, "differs by 0.0100"), (0.2, 1, "differs by 0.2000")],
)
def test_rerun_keeps_what_was_reached_and_compares_it(tmp_path, monkeypatch, shift, code, words):
    was = runs.stored()
    points = [runs.Point(step, trained, held + shift) for step, trained, held in was.curve[:3]]
    monkeypatch.setattr(runs, "again", made(points, was.weights, was.text))
    result = CliRunner().invoke(course, ["rerun", "8", "--folder", str(tmp_path)])
    assert result.exit_code == code, result.output
    assert words in result.output
    assert f"step  100 of {runs.STEPS}" in result.output
    assert np.load(tmp_path / "run-8" / "text.npy").size == 215520


def test_rerun_says_that_the_text_is_another(tmp_path, monkeypatch):
    was = runs.stored()
    monkeypatch.setattr(runs, "again", made(was.curve[:1], was.weights, "another"))
    result = CliRunner().invoke(course, ["rerun", "8", "--folder", str(tmp_path)])
    assert "Python 3.11 has another text (another) than" in result.output


def test_rerun_of_another_chapter_is_refused():
    result = CliRunner().invoke(course, ["rerun", "7"])
    assert "there is one stored run, that of chapter 8: opbook course rerun 8" in str(result.exception)

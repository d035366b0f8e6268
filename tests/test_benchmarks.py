"""What the benchmarks say follows from what they measured; nothing here is timed."""

import json
from pathlib import Path

import numpy as np
import pytest
from speed import chart, contenders, families, goals, limits, report, textbook, training
from speed.cases import CASES, Case
from speed.timing import Contender, measure

ROOT = Path(__file__).parents[1]
RESULTS = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
SMALL = [case for case in CASES if case.op == "layer_norm" or "512" in case.size or "8×16" in case.size]


def test_the_table_and_the_pictures_are_those_of_the_numbers():
    assert (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8") == report.as_markdown(RESULTS)
    assert (ROOT / "docs" / "assets" / "speed.svg").read_text(encoding="utf-8") == chart.peers(RESULTS["rows"])
    assert (ROOT / "docs" / "assets" / "roofline.svg").read_text(encoding="utf-8") == chart.roofline(RESULTS["rows"])


def test_a_ratio_is_taken_within_a_round():
    times = {"opbook": [1.0, 2.0, 4.0], "torch": [2.0, 4.0, 4.0]}
    row = report.row(CASES[0], "forward", times)
    assert row["ratios"] == {"torch": [0.5, 0.5, 0.75]}
    assert row["milliseconds"]["opbook"] == [1500, 2000, 3000]


def test_everybody_takes_turns():
    order = []
    names = "abc"
    works = [Contender(name, {"forward": lambda name=name: order.append(name)}) for name in names]
    times = measure(works, 0, rounds=4)
    assert {name: len(taken) for name, taken in times["forward"].items()} == dict.fromkeys(names, 4)
    first = [name for name, before in zip(order, ["", *order], strict=False) if name != before]
    assert "".join(first).startswith("abcabcbcacab")  # twice to prepare, then rounds that begin with another each time


@pytest.mark.parametrize("case", [c for c in SMALL if c.dtype == "float64"], ids=lambda case: case.name)
def test_opbook_and_the_textbook_compute_the_same(case: Case):
    args = case.inputs(case.dtype)
    task = contenders.task_of(case, args)
    mine = contenders.opbook(case, args, task.cotangent)["forward"]()
    np.testing.assert_allclose(mine, task.function(np)(*task.arrays), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", [c for c in SMALL if c.dtype == "float64" and c.n_heads], ids=lambda case: case.name)
def test_opbook_and_the_module_of_pytorch_compute_the_same(case: Case):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    args = case.inputs(case.dtype)
    cotangent = contenders.task_of(case, args).cotangent
    mine, theirs = (make(case, args, cotangent)["forward"]() for make in (contenders.opbook, contenders.module))
    np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-9, atol=1e-9)


def test_limits_are_as_many_products_as_the_op_has():
    case = next(c for c in CASES if c.op == "multi_head_attention")
    x, heads, _ = case.inputs(case.dtype)
    forward, backward = limits.projections(case, x.shape)
    multiplications = sum(int(np.prod(batch)) * m * k * n for batch, m, k, n in forward)
    # by hand: four projections of 512 × 768 × 768, and 12 heads of two products of 512 × 64 × 512
    assert multiplications == 4 * 512 * 768 * 768 + 12 * 2 * 512 * 64 * 512
    assert sum(int(np.prod(batch)) * m * k * n for batch, m, k, n in backward) == 2 * multiplications
    assert len(heads) == 12


def test_the_textbook_norm_by_hand():
    x = np.array([[4.0, 2.0, 2.0, 2.0]])
    expected = np.array([[1.5, -0.5, -0.5, -0.5]]) / np.sqrt(0.75 + 1e-5)
    np.testing.assert_allclose(textbook.layer_norm(np, x, np.ones(4), np.zeros(4)), expected)


def test_the_training_in_pytorch_has_opbooks_loss_and_gradients():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    from speed.pytorch_gpt import Trainer

    model = training.Model("tiny", {"symbols": 9, "length": 5, "width": 8, "heads": 2, "layers": 2}, 3)
    mine, theirs = training.opbook_trainer(model), Trainer(model)
    value, gradients = mine.gradients()
    assert theirs.gradients() == pytest.approx(float(value), rel=1e-5)
    assert training.furthest(gradients, theirs.gradients_as_in_opbook()) < 1e-5
    for _ in range(3):
        assert theirs.step() == pytest.approx(float(mine.step()), rel=1e-4)


@pytest.mark.parametrize("family", families.FAMILIES[:1] + families.FAMILIES[-2:-1], ids=lambda family: family.name)
def test_pytorch_gets_the_same_call_of_a_family(family):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    from speed.pytorch_families import work

    args = family.args()
    mine, value = families.opbook(family, args)
    mine()
    work(family, args, value)()  # refuses another value than opbook's


def test_a_goal_is_met_or_missed_with_its_reason():
    results = {
        "training": [],
        "families": [
            {"op": "gelu 3×4", "ratio": [0.9, 1.1, 1.3], "goal": 1.2},
            {"op": "conv2d 3×3", "ratio": [1, 2, 3], "goal": 1.2},
        ],
    }
    met, missed = map(report._goal_cells, goals.judged(results))
    assert met == ["gelu 3×4: time / torch", "1.1", "1.2", "met", ""]
    assert missed[1:4] == ["2", "1.2", "missed"]
    assert missed[4] == goals.REASONS["conv2d"]


def row(op, size, torch, limit=1.3, products_of_torch=1.5):
    ratios = {"torch": torch, "limit": limit, "torch's limit": products_of_torch}
    ratios = {name: [ratio - 0.1, ratio, ratio + 0.1] for name, ratio in ratios.items()}
    return {"op": op, "size": size, "dtype": "float32", "what": "forward", "ratios": ratios}


@pytest.mark.parametrize(
    ("one", "measured", "bound"),
    [
        (row("scaled_dot_product_attention", "512×64", 1.1), 1.1, 1.0),
        (row("scaled_dot_product_attention", "512×64 causal", 1.1), 1.1, 0.75),
        (row("scaled_dot_product_attention", "2048×64", 1.6), 1.3, 1.15),
        (row("scaled_dot_product_attention", "2048×64", 1.1, products_of_torch=1.2), 1.1, 1.0),
        (row("transformer_block", "512×768", 1.4), 1.3, 1.1),
        (row("transformer_block", "8×16", 1.4), 1.4, 0.5),
        (row("multi_head_attention", "512×768", 1.2), 1.2, 1.0),
    ],
)
def test_where_the_products_of_pytorch_are_faster_long_work_is_held_to_those_of_numpy(one, measured, bound):
    (goal,) = goals.judged({"training": [], "families": [], "rows": [one]})
    assert (goal["measured"], goal["bound"]) == (measured, bound)


def test_a_small_call_is_held_to_the_bare_formula():
    costs = {"import numpy": "65 ms", "call of layer_norm, 4×8 float32": "1.62 × the bare formula [1.60–1.70]; goal 2"}
    (goal,) = goals.judged({"training": [], "families": [], "costs": costs})
    assert (goal["measured"], goal["bound"]) == (1.62, 2.0)

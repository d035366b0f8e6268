"""The page and the picture of growing costs are those of the numbers that are kept."""

import json
from pathlib import Path

import pytest
from speed import growth, growth_report

ROOT = Path(__file__).parents[1]


def test_page_and_picture_are_those_of_the_numbers():
    results = json.loads((ROOT / "benchmarks/growth.json").read_text("utf-8"))
    assert list(results["curves"]) == [curve.name for curve in growth.CURVES]
    assert (ROOT / "benchmarks/GROWTH.md").read_text("utf-8") == growth_report.as_markdown(results)
    assert (ROOT / "docs/assets/growth.svg").read_text("utf-8") == growth_report.picture(results)


def points(costs):
    return [{"size": 2**i, "seconds": cost, "mebibytes": 1.0, "process": 100.0} for i, cost in enumerate(costs)]


@pytest.mark.parametrize(("costs", "power"), [([3, 6, 12, 24], 1), ([1, 4, 16, 64], 2), ([5, 5, 5, 5], 0)])
def test_a_power_is_found(costs, power):
    assert growth_report.exponent(points(costs), "seconds") == pytest.approx(power)


def test_a_goal_is_met_or_missed():
    found = points([1.0, 2.0, 3.0])
    found[-1] |= {"size": 8192, "mebibytes": 31.9}
    results = {"machine": {}, "curves": {"rows": found}}
    assert "| memory of 8,192 rows | 31.9 MiB | 32 MiB | met |" in growth_report.as_markdown(results)
    found[-1]["mebibytes"] = 32.1
    assert "| missed |" in growth_report.as_markdown(results)

"""The mutation script: it makes wrong versions, sees them caught, and names those that are not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MUTATE = HERE / "mutate.py"
EXAMPLE = HERE / "example_plugin.py"

REASONS = """
[[survivors]]
module = "example_plugin"
function = "_one"
reason = "2 and 3 are both more than 1."
mutants = ["constant changed: return min(1.0, 3.0)"]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What the script says of the example, and what it writes, with a file of survivors of the test's own."""
    folder = tmp_path_factory.mktemp("mutation")

    def run(reasons):
        accepted, output = folder / "survivors.toml", folder / "mutants.json"
        accepted.write_text(reasons, encoding="utf-8")
        command = [sys.executable, MUTATE, EXAMPLE, "--json", output, "--survivors", accepted]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return done, json.loads(output.read_text(encoding="utf-8"))

    return run


def test_wrong_versions_are_caught_and_survivors_named(run):
    done, mutants = run("")
    caught = {(m["mutation"], m["after"]): m["caught_by"] for m in mutants}
    by_function = {m["function"] for m in mutants}
    assert by_function == {"stretched", "stretched.defvjp", "_one"}  # neither samples nor the hook
    rule = "return (x * by + np.ones(x.shape, x.dtype), lambda g: "
    assert caught["part lost", f"{rule}(g, np.sum(g * kept)))"] == "rule gradient"
    assert caught["1 % off", f"{rule}(g * by, 1.01 * np.sum(g * kept)))"] == "rule gradient"
    assert caught["entries swapped", f"{rule}(np.sum(g * kept), g * by))"]
    assert caught["call lost", "kept = x"] == "own memory"
    assert caught["constant changed", "def _(x, by=4.0):"] == "loading"
    assert caught["call lost", "return 1.0"] is None
    survivors = [m for m in mutants if m["caught_by"] is None]
    assert done.returncode == 1
    assert done.stdout.count("Survived: ") == len(survivors) > 0
    assert f"{EXAMPLE}:38: _one: call lost\n    - return min(1.0, 2.0)\n    + return 1.0" in done.stdout
    assert f"| **all** | {len(mutants)} | {len(mutants) - len(survivors)} | 0 | {len(survivors)} |" in done.stdout


def test_reasons_are_taken_and_one_that_is_not_needed_is_said(run):
    done, mutants = run(REASONS + REASONS.replace("3.0)", "0.5)").replace("2 and 3", "None"))
    kept = [m for m in mutants if m["reason"]]
    assert [m["after"] for m in kept] == ["return min(1.0, 3.0)"]
    assert "return min(1.0, 3.0)" not in done.stdout
    assert "Not needed any more: example_plugin / _one / constant changed: return min(1.0, 0.5)" in done.stdout


def test_every_accepted_survivor_has_a_reason(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    from mutate import ACCEPTED, read_reasons

    reasons = read_reasons(ACCEPTED)
    assert len(reasons) > 20
    assert all(len(reason) > 20 for reason in reasons.values())


def test_a_reason_is_demanded(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(HERE))
    from mutate import read_reasons

    path = tmp_path / "survivors.toml"
    path.write_text(REASONS.replace("2 and 3 are both more than 1.", " "), encoding="utf-8")
    with pytest.raises(ValueError, match="_one has survivors without a reason"):
        read_reasons(path)
    path.write_text(REASONS * 2, encoding="utf-8")
    with pytest.raises(ValueError, match="is there twice"):
        read_reasons(path)

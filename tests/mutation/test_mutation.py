"""The mutation script: it makes wrong versions, sees them caught, and names those that are not."""

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLE = HERE / "example_plugin.py"

REASON = """
[[survivors]]
module = "example_plugin"
function = "_one"
reason = "2 and 3 are both more than 1."
mutants = ["constant changed: return min(1.0, 3.0)"]
"""
NOT_NEEDED = REASON.replace("3.0)", "0.5)")


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """What the script says of the example, and what it writes. (Other plugins would only cost time.)"""
    folder = tmp_path_factory.mktemp("mutation")
    accepted, output = folder / "survivors.toml", folder / "mutants.json"
    accepted.write_text(REASON + NOT_NEEDED, encoding="utf-8")
    command = [sys.executable, HERE / "mutate.py", EXAMPLE, "--json", output, "--survivors", accepted]
    names = ",".join(point.name for point in importlib.metadata.entry_points(group="opbook"))
    environment = {**os.environ, "OPBOOK_DISABLE": names}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 1, done.stderr
    return done.stdout, json.loads(output.read_text(encoding="utf-8"))


def test_wrong_versions_are_caught(result):
    _, mutants = result
    assert {m["function"] for m in mutants} == {"stretched", "stretched.defvjp", "_one"}  # neither samples nor the hook
    caught = {(m["mutation"], m["after"]): m["caught_by"] for m in mutants}
    rule = "return (x * by + np.ones(x.shape, x.dtype), lambda g: "
    assert caught["part lost", f"{rule}(g, np.sum(g * x)))"] == "rule gradient"
    assert caught["1 % off", f"{rule}(g * by, 1.01 * np.sum(g * x)))"] == "rule gradient"
    assert caught["entries swapped", f"{rule}(np.sum(g * x), g * by))"] == "rule gradient"
    assert caught["constant changed", "def _(x, by=4.0):"] == "loading"


def test_survivors_are_counted_and_named(result):
    text, mutants = result
    survivors = {m["after"]: m["reason"] for m in mutants if m["caught_by"] is None}
    assert survivors == {
        "return 1.0": None,
        "return min(1.0, 3.0)": "2 and 3 are both more than 1.",
        "return min(1.0, 2.02)": None,
    }
    assert text.count("Survived: ") == 2
    line = next(i for i, line in enumerate(EXAMPLE.read_text().splitlines(), 1) if "min(" in line)
    assert f"{EXAMPLE}:{line}: _one: call lost\n    - return min(1.0, 2.0)\n    + return 1.0" in text
    assert f"| **all** | {len(mutants)} | {len(mutants) - 3} | 1 | 2 |" in text


def test_a_reason_that_is_not_needed_is_said(result):
    assert "Not needed any more: example_plugin / _one / constant changed: return min(1.0, 0.5)" in result[0]


def test_every_accepted_survivor_has_a_reason(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    from mutate import ACCEPTED, read_reasons

    reasons = read_reasons(ACCEPTED)
    assert reasons
    assert all(len(reason) > 20 for reason in reasons.values())


@pytest.mark.parametrize(
    ("text", "words"),
    [(REASON.replace("2 and 3 are both more than 1.", " "), "without a reason"), (REASON * 2, "is there twice")],
)
def test_a_file_of_survivors_that_explains_nothing_is_refused(monkeypatch, tmp_path, text, words):
    monkeypatch.syspath_prepend(str(HERE))
    from mutate import read_reasons

    path = tmp_path / "survivors.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_reasons(path)

"""`opbook verify`."""

import json

import pytest

WRONG = '''
import numpy as np
from opbook import Array, builtin, hookimpl

# Doubles.
@builtin(category="Tests")
def doubled(x: Array["N"]) -> Array["N"]:
    """Doubles x.

    Args:
        x: Numbers.

    Returns:
        Numbers.

    Source:
        None.
    """
    return 2 * x

doubled.defvjp(lambda x: (2 * x, lambda g: (2.02 * g,)))

@hookimpl
def opbook_builtins():
    return [doubled]
'''


def test_one_builtin_check_by_check(opbook, monkeypatch):
    monkeypatch.setenv("OPBOOK_DISABLE", "fast")
    result = opbook("verify", "layer_norm")
    assert result.exit_code == 0
    assert "rule gradient" in result.stdout
    assert "worst error" in result.stdout
    lines = result.stdout.splitlines()
    passed = sum(" passed  " in line for line in lines)
    assert passed > 15
    assert lines[-1].startswith(f"1 builtin: {passed} passed, 0 failed")
    assert "the rows of x have no entries to normalize" in result.stdout  # an input that it refuses


def test_a_wrong_rule_exits_with_1_and_says_where(opbook, tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    result = opbook(
        "verify", "--plugin", str(tmp_path / "wrong.py"), "doubled", "layer_norm", "--check", "rule gradient"
    )
    assert result.exit_code == 1
    assert "FAILED rule gradient" in result.stdout
    assert "gradient of argument 1 (x): the rule's differs by 1.0e-02" in result.stdout
    assert "layer_norm" in result.stdout


def test_json_is_for_scripts(opbook):
    result = opbook("verify", "relu", "--json", "--check", "definition", "--check", "rule value")
    outcomes = json.loads(result.stdout)
    assert [(o["builtin"], o["check"], o["status"]) for o in outcomes] == [
        ("relu", "definition", "passed"),
        ("relu", "rule value", "passed"),
    ]


def test_the_checks_can_be_listed(opbook):
    result = opbook("verify", "--list")
    assert result.exit_code == 0
    assert "threads" in result.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["verify", "layer_nrom"], "Did you mean layer_norm?"),
        (["verify", "relu", "--check", "rule gradeint"], "Did you mean rule gradient?"),
    ],
)
def test_mistakes_exit_with_2(opbook, args, words):
    result = opbook(*args)
    assert result.exit_code == 2
    assert words in result.stderr


def test_what_nobody_expected_is_told_once(opbook, tmp_path):
    code = WRONG.replace("return 2 * x\n", "return x.no_such_attribute\n").replace("doubled.defvjp", "# doubled.defvjp")
    (tmp_path / "wrong.py").write_text(code, encoding="utf-8")
    result = opbook("verify", "--plugin", str(tmp_path / "wrong.py"), "doubled")
    assert result.exit_code == 1
    assert result.stdout.count("no_such_attribute") == 1
    assert " (on no batch axes: doubled(np.array([" in result.stdout
    assert ", in wrong.py:" in result.stdout
    assert "other checks failed for the same reason: dtypes, " in result.stdout


def test_a_builtin_that_leaves_python_fails(opbook, tmp_path):
    code = WRONG.replace("return 2 * x\n", "raise SystemExit(0)\n").replace("doubled.defvjp", "# doubled.defvjp")
    (tmp_path / "wrong.py").write_text(code, encoding="utf-8")
    result = opbook("verify", "--plugin", str(tmp_path / "wrong.py"), "doubled")
    assert result.exit_code == 1
    assert "it raises SystemExit" in result.stdout


def test_processes_change_nothing_but_the_time(opbook, monkeypatch):
    names = ("relu", "layer_norm", "abs")
    reports = []
    for processors in (1, 2):
        monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
        outcomes = json.loads(opbook("verify", "--json", *names).stdout)
        reports.append([{**outcome, "seconds": 0} for outcome in outcomes])
    assert reports[0] == reports[1]
    assert list(dict.fromkeys(outcome["builtin"] for outcome in reports[0])) == list(names)

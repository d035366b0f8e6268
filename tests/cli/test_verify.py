"""`opbook verify` and `opbook compare`."""

import json
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[1] / "checks" / "kernels.py"

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
    assert "1 builtin: 21 passed, 0 failed" in result.stdout


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
        (["compare", "kernels", "--against", "relu"], "must be MODULE:FUNCTION or FILE.py:FUNCTION"),
        (["compare", "gone.py:f", "--against", "relu"], "gone.py can't be imported: FileNotFoundError"),
        (["compare", "no_such_module:f", "--against", "relu"], "no_such_module can't be imported: ModuleNotFoundError"),
        (["compare", f"{KERNELS}:rihgt", "--against", "relu"], "has no function rihgt. Did you mean right"),
        (["compare", f"{KERNELS}:right", "--against", "layer_nrom"], "Did you mean layer_norm?"),
        (["compare", f"{KERNELS}:right"], "--against"),
    ],
)
def test_mistakes_exit_with_2(opbook, args, words):
    result = opbook(*args)
    assert result.exit_code == 2
    assert words in result.stderr


def test_a_right_function(opbook):
    result = opbook("compare", f"{KERNELS}:right", "--against", "layer_norm", "--gradient", f"{KERNELS}:right_gradient")
    assert result.exit_code == 0
    assert "gradients of" in result.stdout
    assert "a large mean and a small spread" in result.stdout


def test_a_wrong_function(opbook):
    result = opbook("compare", f"{KERNELS}:unbiased", "--against", "layer_norm", "--dtype", "float64")
    assert result.exit_code == 1
    assert "FAILED" in result.stdout
    assert "unbiased(np.array(" in result.stdout


def test_json_of_a_comparison(opbook):
    result = opbook("compare", f"{KERNELS}:unbiased", "--against", "layer_norm", "--dtype", "float32", "--json")
    assert result.exit_code == 1
    assert {"case", "what", "status", "error", "tolerance", "message", "paste", "seconds"} == set(
        json.loads(result.stdout)[0]
    )


def test_a_function_that_refuses_everything_is_no_success(opbook):
    result = opbook("compare", "json:loads", "--against", "layer_norm", "--dtype", "float64")
    assert result.exit_code == 1
    assert "refused" in result.stdout

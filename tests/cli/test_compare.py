"""`opbook compare`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[1] / "checks" / "kernels.py"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["kernels", "--against", "relu"], "must be MODULE:FUNCTION or FILE.py:FUNCTION"),
        (["gone.py:f", "--against", "relu"], "gone.py can't be imported: FileNotFoundError"),
        (["no_such_module:f", "--against", "relu"], "no_such_module can't be imported: ModuleNotFoundError"),
        ([f"{KERNELS}:rihgt", "--against", "relu"], "has no function rihgt. Did you mean right"),
        ([f"{KERNELS}:right", "--against", "layer_nrom"], "Did you mean layer_norm?"),
        ([f"{KERNELS}:right"], "--against"),
        ([f"{KERNELS}:right", "--against", "layer_norm", "--only", "seven"], "no input with 'seven' in its name"),
        ([f"{KERNELS}:right", "--against", "layer_norm", "--option", "eps"], "must be NAME=VALUE"),
    ],
)
def test_mistakes_exit_with_2(opbook, args, words):
    result = opbook("compare", *args)
    assert result.exit_code == 2
    assert words in result.stderr


def test_a_right_function(opbook):
    result = opbook("compare", f"{KERNELS}:right", "--against", "layer_norm", "--gradient", f"{KERNELS}:right_gradient")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "right against layer_norm, with arrays of numpy (its code uses numpy)"
    assert "gradient" in lines
    assert any(line.startswith("  passed   two batch axes ") for line in lines)
    assert lines[-1].startswith("right agrees with layer_norm on ")


def test_a_wrong_function_with_an_input_to_paste(opbook):
    result = opbook("compare", f"{KERNELS}:unbiased", "--against", "layer_norm", "--dtype", "float64")
    assert result.exit_code == 1
    assert "  FAILED   no batch axes" in result.stdout
    assert "\n  unbiased(x=np.array(" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("unbiased is not layer_norm: it fails on ")


def test_ordinary_inputs_stand_before_the_exotic_ones(opbook):
    result = opbook("compare", f"{KERNELS}:textbook_attention", "--against", "scaled_dot_product_attention")
    assert result.exit_code == 0
    ordinary, edges = result.stdout.split("edges, where libraries differ on purpose\n")
    assert "two batch axes" in ordinary
    assert "differs  NaN in a blocked key and its value" in edges
    assert "refused: " in edges
    assert "NotImplementedError: only a mask (kernels.py:" in edges
    strict = opbook("compare", f"{KERNELS}:textbook_attention", "--against", "scaled_dot_product_attention", "--strict")
    assert strict.exit_code == 1


def test_json_is_valid_and_alone_on_standard_output(opbook, tmp_path):
    (tmp_path / "loud.py").write_text(
        "import numpy as np\nprint('imported')\n"
        "def norm(x, gamma, beta, eps=1e-5):\n    print('called')\n    return np.full(x.shape, np.nan)\n"
    )
    result = opbook("compare", str(tmp_path / "loud.py:norm"), "--against", "layer_norm", "--json")
    assert result.exit_code == 1

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    found = json.loads(result.stdout, parse_constant=refuse)
    assert found["verdict"] == "is wrong"
    assert {"label", "dtype", "what", "status", "is_edge", "error", "tolerance", "message", "paste", "seconds"} == set(
        found["cases"][0]
    )


def test_a_function_cannot_end_the_process_and_seem_right(opbook, tmp_path):
    (tmp_path / "leaves.py").write_text("import os\n\n\ndef norm(x, gamma, beta):\n    os._exit(0)\n")
    result = opbook("compare", str(tmp_path / "leaves.py:norm"), "--against", "layer_norm")
    assert result.exit_code == 3
    assert "it calls os._exit(0), which would end the process" in result.stdout


def test_what_can_be_run_on_nothing_exits_with_3(opbook):
    result = opbook("compare", "json:loads", "--against", "layer_norm", "--dtype", "float64")
    assert result.exit_code == 3
    assert "loads could not be run on any ordinary input: it raises TypeError" in result.stdout


def test_an_option_can_be_chosen(opbook, tmp_path):
    (tmp_path / "half.py").write_text(
        "import numpy as np\n"
        "def gelu(x, approximate='none'):\n"
        "    if approximate != 'tanh':\n        raise NotImplementedError('only the tanh form')\n"
        "    x = np.clip(x, -1e4, None)\n"
        "    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))\n"
    )
    result = opbook("compare", str(tmp_path / "half.py:gelu"), "--against", "gelu", "--option", "approximate=tanh")
    assert result.exit_code == 0
    assert "refused" not in result.stdout
    result = opbook("compare", str(tmp_path / "half.py:gelu"), "--against", "gelu")
    assert result.exit_code == 0
    assert result.stdout.count("only the tanh form") == 1  # each reason once


def test_modules_beside_the_file_are_found(opbook, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "sibling_of_kernel.py").write_text(
        "def standardized(x, eps):\n"
        "    return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps) ** 0.5\n"
    )
    (tmp_path / "kernel.py").write_text(
        "from sibling_of_kernel import standardized\n"
        "def norm(x, gamma, beta, eps=1e-5):\n    return standardized(x, eps) * gamma + beta\n"
    )
    assert opbook("compare", str(tmp_path / "kernel.py:norm"), "--against", "layer_norm").exit_code == 0


def test_json_stands_alone_though_compiled_code_prints(tmp_path):
    kernel = tmp_path / "loud.py"
    kernel.write_text(
        "import os\nimport numpy as np\n\n\ndef relu(x):\n    os.write(1, b'raw\\n')\n    print('said')\n"
        "    return np.where(x < 0, 0, x).astype(x.dtype)\n"
    )
    command = [sys.executable, "-m", "opbook", "compare", f"{kernel}:relu", "--against", "relu", "--json"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert json.loads(run.stdout)["verdict"] == "agrees", run.stderr
    assert "raw" in run.stderr

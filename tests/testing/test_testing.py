"""What `opbook.testing` says of builtins that are installed, and of ones that are not."""

import pytest

from opbook import Array, builtin
from opbook.checks import CHECKS
from opbook.examples import Result
from opbook.ops import layer_norm
from opbook.testing import check, run_one


def stranger(name: str):
    def definition(x: Array["..."]) -> Array["..."]:
        return 1.0 * x

    definition.__name__, definition.__doc__ = name, "Gives x."
    return builtin(category="Tests")(definition)


def test_the_examples_of_an_installed_plugin_are_run(monkeypatch):
    run_one(layer_norm, CHECKS["examples"])

    def failing(example, runner):
        return Result(example.path, example.line, "failed", "it prints something else")

    monkeypatch.setattr("opbook.checks.verification.run_example", failing)
    with pytest.raises(AssertionError, match="layer_norm, examples: it prints something else"):
        run_one(layer_norm, CHECKS["examples"])


@pytest.mark.parametrize("name", ["layer_norm", "nowhere"])
def test_those_of_another_builtin_of_its_name_are_not(name):
    with pytest.raises(pytest.skip.Exception, match=r"no examples\.md"):
        run_one(stranger(name), CHECKS["examples"])


def test_one_check_or_several_that_fail():
    with pytest.raises(AssertionError, match=r"^nowhere fails its only check\ndocumented: "):
        check(stranger("nowhere"), ["documented"])
    with pytest.raises(AssertionError, match=r"^nowhere fails 1 of 2 checks\ndocumented: "):
        check(stranger("nowhere"), ["documented", "dtypes"])

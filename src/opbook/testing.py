"""Verification in tests, for authors of builtins and of kernels.

An author's test file is two lines, and needs neither if the plugin is installed (see
[`opbook.pytest_plugin`][opbook.pytest_plugin]):

    from opbook.testing import parametrize_with_checks
    test_builtin = parametrize_with_checks([my_op])
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from opbook.builtin import Builtin
from opbook.catalogue import catalogue
from opbook.checks import CHECKS, Check, Comparison, Outcome, compare
from opbook.checks.model import Subject
from opbook.checks.running import check_builtin, choose, examples_by_builtin, run
from opbook.checks.sampling import samples_of
from opbook.examples import Result

__all__ = ["Comparison", "check", "compare", "parametrize_with_checks", "run_one"]


def check(builtin: Builtin, checks: Iterable[str] | None = None) -> list[Outcome]:
    """Run the checks on a builtin, whether it is in a catalogue or not.

    Args:
        builtin: The builtin.
        checks: Which checks, by name; all unless given.

    Returns:
        One outcome for each check; none of them failed.

    Raises:
        AssertionError: At least one failed; the message has them all.
        UnknownBuiltinError: There is no such check.
    """
    outcomes = list(check_builtin(builtin, choose(checks), catalogue(), None))
    failed = [f"{outcome.check}: {outcome.message}" for outcome in outcomes if outcome.status == "failed"]
    if failed:
        total = "its only check" if len(outcomes) == 1 else f"{len(failed)} of {len(outcomes)} checks"
        raise AssertionError(f"{builtin.name} fails {total}\n" + "\n".join(failed))
    return outcomes


def run_one(builtin: Builtin, check: Check) -> None:
    """Run one check as a test: it passes, fails, or is skipped with the reason why it does not apply.

    Args:
        builtin: The builtin.
        check: The check.

    Raises:
        AssertionError: It failed.
    """
    import pytest

    __tracebackhide__ = True  # the way through the checks tells an author nothing
    subject = _subject(builtin)
    if check.name == "examples":
        subject = replace(subject, examples=_examples(builtin))
    outcome = run(check, subject)
    if outcome.status == "not applicable":
        pytest.skip(outcome.message)
    if outcome.status == "failed":
        raise AssertionError(f"{builtin.name}, {check.name}: {outcome.message}")


@cache
def _subject(builtin: Builtin) -> Subject:
    return Subject(builtin, samples_of(builtin), catalogue())


def _examples(builtin: Builtin) -> list[Result] | None:
    """Run the examples of a builtin's plugin, if that is what the catalogue has under its name."""
    loaded = catalogue()
    if builtin.name not in loaded or loaded[builtin.name] is not builtin:
        return None
    return examples_by_builtin(loaded, {builtin.name}).get(builtin.name)


def parametrize_with_checks(builtins: Iterable[Builtin]) -> Callable[..., Any]:
    """Make a test function that runs every check on every builtin, one test each.

    Args:
        builtins: The builtins.

    Returns:
        The test function; assign it to a name that begins with `test`.
    """
    import pytest

    pairs = [(op, check) for op in builtins for check in CHECKS.values()]

    @pytest.mark.parametrize(("builtin", "check"), pairs, ids=[f"{op.name}-{check.name}" for op, check in pairs])
    def test(builtin: Builtin, check: Check) -> None:
        __tracebackhide__ = True
        run_one(builtin, check)

    return test

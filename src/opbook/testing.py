"""Verification in tests, for authors of builtins and of kernels.

An author's test file is two lines, and needs neither if the plugin is installed (see
[`opbook.pytest_plugin`][opbook.pytest_plugin]):

    from opbook.testing import parametrize_with_checks
    test_builtin = parametrize_with_checks([my_op])
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from opbook.builtin import Builtin
from opbook.catalogue import catalogue
from opbook.checks import CHECKS, Check, Comparison, Outcome, compare
from opbook.checks.model import Subject
from opbook.checks.running import applies, check_builtin, choose, rules_of, run, subject_of
from opbook.checks.sampling import samples_of
from opbook.rules import OWN, Rule

__all__ = ["Comparison", "check", "compare", "parametrize_with_checks", "run_one"]


def check(builtin: Builtin, checks: Iterable[str] | None = None, rules: Iterable[Rule] = ()) -> list[Outcome]:
    """Run the checks on a builtin, whether it is in a catalogue or not, with each of its rules.

    Args:
        builtin: The builtin.
        checks: Which checks, by name; all unless given.
        rules: Rules that no plugin has registered yet, to be checked as well.

    Returns:
        One outcome for each check of each rule; none of them failed.

    Raises:
        AssertionError: At least one failed; the message has them all.
        UnknownBuiltinError: There is no such check.
        DeclarationError: A rule does not fit the builtin.
    """
    loaded = catalogue()  # first: it knows other plugins' rules
    chosen = choose(checks)
    if rules := tuple(rules):
        builtin = builtin.with_rules((*builtin.rules, *rules))
    outcomes = [
        outcome for rule in rules_of(builtin) for outcome in check_builtin(builtin, chosen, loaded, None, rule=rule)
    ]
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if failed:
        messages = [f"{outcome.check}{_of(outcome.rule)}: {outcome.message}" for outcome in failed]
        raise AssertionError(f"{builtin.name} fails {len(failed)} of {len(outcomes)} checks\n" + "\n".join(messages))
    return outcomes


def _of(rule: str) -> str:
    return "" if rule == OWN else f" [{rule}]"


def run_one(builtin: Builtin, check: Check, rule: str = OWN) -> None:
    """Run one check as a test: it passes, fails, or is skipped with the reason why it does not apply.

    Args:
        builtin: The builtin.
        check: The check.
        rule: The rule to run it with: the builtin's own, or another plugin's, by name.

    Raises:
        AssertionError: It failed.
    """
    import pytest

    outcome = run(check, _subject(builtin, rule))
    if outcome.status == "not applicable":
        pytest.skip(outcome.message)
    if outcome.status == "failed":
        raise AssertionError(f"{outcome.label}, {check.name}: {outcome.message}")


@cache
def _subject(builtin: Builtin, rule: str) -> Subject:
    loaded = catalogue()
    return subject_of(builtin, samples_of(builtin), loaded, rule=rule)


def parametrize_with_checks(builtins: Iterable[Builtin]) -> Callable[..., Any]:
    """Make a test function that runs every check on every rule of every builtin, one test each.

    Args:
        builtins: The builtins.

    Returns:
        The test function; assign it to a name that begins with `test`.
    """
    import pytest

    catalogue()  # it tells the builtins of other plugins' rules
    cases = [
        pytest.param(op, check, rule, id=f"{op.name}{_of(rule)}-{check.name}")
        for op in builtins
        for rule in rules_of(op)
        for check in CHECKS.values()
        if applies(check, rule)
    ]

    @pytest.mark.parametrize(("builtin", "check", "rule"), cases)
    def test(builtin: Builtin, check: Check, rule: str) -> None:
        run_one(builtin, check, rule)

    return test

"""Verification in tests, for authors of builtins and of kernels.

An author's test file is two lines, and needs neither if the plugin is installed (see
[`opbook.testing.pytest_plugin`][opbook.testing.pytest_plugin]):

    from opbook.testing import parametrize_with_checks
    test_builtin = parametrize_with_checks([my_op])
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.builtins.property import Property
from opbook.builtins.rule import OWN, Rule
from opbook.checks import Case, Check, Comparison, Outcome, compare
from opbook.checks.inputs import inputs_of
from opbook.checks.subject import Subject
from opbook.checks.verification import (
    applies,
    check_builtin,
    checks_of,
    examples_by_builtin,
    refuse_unknown,
    rules_of,
    run,
    subject_of,
)
from opbook.examples import Result
from opbook.plugins.catalogue import catalogue

__all__ = ["Case", "Comparison", "check", "compare", "parametrize_with_checks"]


def check(
    builtin: Builtin,
    checks: Iterable[str] | None = None,
    rules: Iterable[Rule] = (),
    properties: Iterable[Property] = (),
) -> list[Outcome]:
    """Run the checks on a builtin, whether it is in a catalogue or not, with each of its rules.

    Args:
        builtin: The builtin.
        checks: Which checks, by name; all unless given.
        rules: Rules to check in the place of those that plugins have registered, so that what is checked does not
            depend on what is installed.
        properties: Further properties to check, which no plugin has registered.

    Returns:
        One outcome for each check of each rule; none of them failed.

    Raises:
        AssertionError: At least one failed; the message has them all.
        UnknownBuiltinError: There is no such check.
        DeclarationError: A rule does not fit the builtin.
    """
    loaded = catalogue()  # first: it knows other plugins' rules, samples and properties
    loaded.load_samples()
    wanted = None if checks is None else list(checks)
    every = (*builtin.properties, *properties)
    builtin = builtin.with_rules(tuple(rules) or builtin.rules)
    builtin.properties = every
    refuse_unknown(wanted, [builtin])
    outcomes = [
        outcome
        for rule in rules_of(builtin)
        for outcome in check_builtin(builtin, checks_of(builtin, wanted), loaded, None, rule=rule)
    ]
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if failed:
        messages = [f"{outcome.check}{_of(outcome.rule)}: {outcome.message}" for outcome in failed]
        total = "its only check" if len(outcomes) == 1 else f"{len(failed)} of {len(outcomes)} checks"
        raise AssertionError(f"{builtin.name} fails {total}\n" + "\n".join(messages))
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

    __tracebackhide__ = True  # the way through the checks tells an author nothing
    subject = _subject(builtin, rule)
    if check.needs_examples:
        subject = replace(subject, examples=_examples(builtin))
    outcome = run(check, subject)
    if outcome.status == "not applicable":
        pytest.skip(outcome.message)
    if outcome.status == "failed":
        raise AssertionError(f"{outcome.label}, {check.name}: {outcome.message}")


@cache
def _subject(builtin: Builtin, rule: str) -> Subject:
    loaded = catalogue()
    loaded.load_samples()
    return subject_of(builtin, inputs_of(builtin), loaded, rule=rule)


def _examples(builtin: Builtin) -> list[Result] | None:
    """Run the examples of a builtin's plugin, if that is what the catalogue has under its name."""
    loaded = catalogue()
    if builtin.name not in loaded or loaded[builtin.name].definition is not builtin.definition:
        return None
    return examples_by_builtin(loaded, {builtin.name}).get(builtin.name)


def parametrize_with_checks(builtins: Iterable[Builtin]) -> Callable[..., Any]:
    """Make a test function that runs every check on every rule of every builtin, one test each.

    Args:
        builtins: The builtins.

    Returns:
        The test function; assign it to a name that begins with `test`.
    """
    import pytest

    catalogue().load_samples()  # with which the rules of plugins, samples and properties are known
    cases = [
        pytest.param(op, check, rule, id=f"{op.name}{_of(rule)}-{check.name}")
        for op in builtins
        for rule in rules_of(op)
        for check in checks_of(op)
        if applies(check, rule)
    ]

    @pytest.mark.parametrize(("builtin", "check", "rule"), cases)
    def test(builtin: Builtin, check: Check, rule: str) -> None:
        __tracebackhide__ = True
        run_one(builtin, check, rule)

    return test

"""Runs the checks on builtins."""

import contextlib
import io
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from opbook.builtin import Builtin
from opbook.catalogue import Catalogue
from opbook.checks import aliasing, differentiation, evaluation, surface
from opbook.checks.model import Check, Evidence, NotApplicable, Outcome, Refuted, Subject
from opbook.checks.sampling import samples_of
from opbook.errors import OpbookError, UnknownBuiltinError, nearest
from opbook.examples import Result, Runner, calls, check_example, find
from opbook.examples.finding import EXAMPLES_PAGE

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        surface.documented,
        evaluation.definition,
        evaluation.known_answers,
        evaluation.dtypes,
        evaluation.layouts,
        evaluation.no_warnings,
        evaluation.rule_value,
        differentiation.rule_gradient,
        differentiation.differences,
        differentiation.taylor,
        differentiation.gradient_dtypes,
        differentiation.pullback_is_linear_and_pure,
        differentiation.second_order,
        aliasing.inputs_unchanged,
        aliasing.own_memory,
        aliasing.threads,
        aliasing.memory,
        surface.errors,
        surface.notation,
        surface.examples,
    )
}
"""Every check by name, in the order in which they run."""

SAMPLES = "samples"
"""The check that comes first: whether there are any inputs to check a builtin with."""


def verify(
    names: Iterable[str],
    catalogue: Catalogue,
    *,
    checks: Iterable[str] | None = None,
    progress: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Run the checks on builtins of a catalogue.

    Args:
        names: Which builtins.
        catalogue: Where they are.
        checks: Which checks; all unless given.
        progress: Is told each outcome as it comes.

    Returns:
        One outcome for each check of each builtin.

    Raises:
        UnknownBuiltinError: A name that is not in the catalogue, or not that of a check.
    """
    chosen = choose(checks)
    ops = [catalogue[name] for name in names]
    wants_examples = any(check.name == "examples" for check in chosen)
    examples = examples_by_builtin(catalogue, {op.name for op in ops}) if wants_examples else {}
    outcomes = []
    for op in ops:
        for outcome in check_builtin(op, chosen, catalogue, examples.get(op.name)):
            progress(outcome)
            outcomes.append(outcome)
    return outcomes


def choose(names: Iterable[str] | None) -> list[Check]:
    """Look checks up by name.

    Args:
        names: Names, or None for all.

    Returns:
        The checks.

    Raises:
        UnknownBuiltinError: There is no such check.
    """
    if names is None:
        return list(CHECKS.values())
    for name in (names := list(names)):
        if name not in CHECKS:
            raise UnknownBuiltinError(
                f"there is no check {name!r}.{nearest(name, CHECKS)} The checks are {', '.join(CHECKS)}"
            )
    return [CHECKS[name] for name in names]


def check_builtin(
    op: Builtin, checks: Iterable[Check], catalogue: Catalogue | None, examples: list[Result] | None
) -> Iterable[Outcome]:
    """Run checks on one builtin.

    Args:
        op: The builtin.
        checks: The checks.
        catalogue: The other builtins, for the notation.
        examples: What became of its examples; None if they were not looked for.

    Yields:
        One outcome for each check; a single failed one, named "samples", if no input can be made.
    """
    start = time.perf_counter()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            samples = samples_of(op)
    except Exception as error:  # `samples` may raise anything
        reason = str(error) if isinstance(error, OpbookError) else f"samples raises {type(error).__name__}: {error}"
        yield Outcome(op.name, SAMPLES, "failed", reason, 0, None, time.perf_counter() - start)
        return
    subject = Subject(op, samples, catalogue or {}, examples)
    for check in checks:
        yield run(check, subject)


def run(check: Check, subject: Subject) -> Outcome:
    """Run one check on one builtin.

    Args:
        check: The check.
        subject: The builtin and its inputs.

    Returns:
        What it said. An exception that nobody expected is a failure too, named with its type.
    """
    start = time.perf_counter()
    evidence, status, message = Evidence(), "passed", ""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):  # a builtin may print
            warnings.simplefilter("ignore")  # one check turns them into errors; the others are about something else
            evidence = check.run(subject)
        message = evidence.note
    except NotApplicable as reason:
        status, message = "not applicable", str(reason)
    except Refuted as refutation:
        status, message = "failed", str(refutation)
    except Exception as error:  # the builtin under test may raise anything
        status, message = "failed", f"it raises {type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    return Outcome(subject.op.name, check.name, status, message, evidence.inputs, evidence.worst, seconds)


def examples_by_builtin(catalogue: Catalogue, names: set[str]) -> dict[str, list[Result]]:
    """Run the examples of the plugins that some builtins come from.

    Args:
        catalogue: Where the builtins are.
        names: The builtins.

    Returns:
        For each builtin of a package, what became of the examples of its plugin that call it.
    """
    runner = Runner(catalogue)
    found: dict[str, list[Result]] = {}
    for page in sorted({page for name in names if (page := _page(catalogue, name)) is not None}):
        own = {name for name in names if _page(catalogue, name) == page}
        found |= {name: [] for name in own}
        if not page.is_file():
            continue
        try:
            examples = find(page)
        except OpbookError as error:
            for name in own:
                found[name].append(Result(page, 1, "failed", str(error)))
            continue
        for example in examples:
            if used := calls(example, own):
                result = check_example(example, runner)
                for name in used:
                    found[name].append(result)
    return found


def _page(catalogue: Catalogue, name: str) -> Path | None:
    info = catalogue.plugin_of(name)
    return None if info.source.is_file else Path(info.path).parent / EXAMPLES_PAGE

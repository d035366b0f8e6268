"""Runs the checks on builtins."""

import contextlib
import io
import itertools
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import OWN
from opbook.checks import gradients, interface, memory, pullbacks, values
from opbook.checks.check import Check, Evidence, NotApplicable, Outcome, Refuted
from opbook.checks.inputs import Inputs, inputs_of
from opbook.checks.properties import check_of
from opbook.checks.refusals import place_of
from opbook.checks.subject import Subject, on
from opbook.errors import OpbookError, UnknownBuiltinError, nearest
from opbook.examples import Result, Runner, calls, find, run_example
from opbook.examples.collection import EXAMPLES_PAGE
from opbook.examples.processes import spread_one_by_one
from opbook.examples.running import named_if_long
from opbook.plugins.catalogue import Catalogue

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        interface.documented,
        values.definition,
        values.known_answers,
        values.dtypes,
        values.layouts,
        values.no_warnings,
        values.rule_value,
        gradients.rule_gradient,
        gradients.differences,
        gradients.taylor,
        gradients.gradient_dtypes,
        pullbacks.pullback_is_linear_and_pure,
        gradients.second_order,
        memory.inputs_unchanged,
        memory.own_memory,
        memory.threads,
        memory.memory,
        interface.errors,
        interface.notation,
        interface.examples,
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
    rule: str | None = None,
    progress: Callable[[Outcome], None] = lambda outcome: None,
    in_processes: bool = False,
) -> list[Outcome]:
    """Run the checks on builtins of a catalogue.

    Args:
        names: Which builtins.
        catalogue: Where they are.
        checks: Which checks; all unless given.
        rule: Which rule: the name of one, or `own`. Unless given, the builtin's own and every other plugin's, each
            against the same definition.
        progress: Is told each outcome as it comes.
        in_processes: Whether to use all processors, where the system can fork. Outcomes keep their order.

    Returns:
        One outcome for each check of each rule of each builtin; of builtins that do not have the rule, none.

    Raises:
        UnknownBuiltinError: A name that is not in the catalogue, or not that of a check, or none of the builtins has
            the rule.
    """
    catalogue.load_samples()
    ops = [catalogue[name] for name in names]
    wanted = None if checks is None else list(checks)
    refuse_unknown(wanted, ops)
    if rule not in (None, OWN) and not any(rule in rules_of(op) for op in ops):
        known = sorted({name for op in ops for name in rules_of(op)})
        raise UnknownBuiltinError(
            f"there is no rule {rule!r} of {_listed([op.name for op in ops])}.{nearest(str(rule), known)} "
            f"The rules are {', '.join(known)}"
        )
    wants_examples = any(check.needs_examples for op in ops for check in checks_of(op, wanted))
    examples = examples_by_builtin(catalogue, {op.name for op in ops}) if wants_examples else {}
    parts = [(op.name, name) for op in ops for name in rules_of(op) if rule in (None, name)]

    def check(part: tuple[str, str]) -> Iterable[Outcome]:
        op, name = catalogue[part[0]], part[1]
        return check_builtin(op, checks_of(op, wanted), catalogue, examples.get(op.name), rule=name)

    found = spread_one_by_one(lambda part: list(check(part)), parts) if in_processes else map(check, parts)
    outcomes = []
    for outcome in itertools.chain.from_iterable(found):
        progress(outcome)
        outcomes.append(outcome)
    return outcomes


def rules_of(op: Builtin) -> list[str]:
    """List the rules of a builtin."""
    return [OWN, *sorted({rule.name for rule in op.rules})]


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} others" if len(names) > 3 else "")


def refuse_unknown(names: Iterable[str] | None, ops: Iterable[Builtin]) -> None:
    """Look whether there are checks of some names.

    Args:
        names: The names, or None.
        ops: The builtins that they are for; what plugins state of them are checks as well.

    Raises:
        UnknownBuiltinError: There is no such check.
    """
    known = [*CHECKS, *dict.fromkeys(statement.name for op in ops for statement in op.properties)]
    for name in names or ():
        if name not in known:
            raise UnknownBuiltinError(
                f"there is no check {name!r}.{nearest(name, known)} The checks are {', '.join(known)}"
            )


def checks_of(op: Builtin, names: Iterable[str] | None = None) -> list[Check]:
    """Find the checks of a builtin.

    Args:
        op: The builtin.
        names: Names, or None for all.
    """
    every = [*CHECKS.values(), *map(check_of, op.properties)]
    wanted = None if names is None else set(names)
    return [check for check in every if wanted is None or check.name in wanted]


def check_builtin(
    op: Builtin,
    checks: Iterable[Check],
    catalogue: Catalogue | None,
    examples: list[Result] | None,
    *,
    rule: str = OWN,
) -> Iterable[Outcome]:
    """Run checks on one builtin.

    Args:
        op: The builtin.
        checks: The checks.
        catalogue: The other builtins, for the notation.
        examples: What became of its examples; None if they were not looked for.
        rule: The rule to check it with: its own, or one of another plugin's, by name.

    Yields:
        One outcome for each check that the rule has a part in; a single failed one, named "samples", if no input can
        be made.
    """
    checks = [check for check in checks if applies(check, rule)]
    if not checks:
        return
    start = time.perf_counter()
    try:
        with _named(f"{op.name}: making its inputs"), contextlib.redirect_stdout(io.StringIO()):
            inputs = inputs_of(op)
    except (Exception, SystemExit) as error:  # `samples` may raise anything
        reason = str(error) if isinstance(error, OpbookError) else f"samples raises {type(error).__name__}: {error}"
        yield Outcome(op.name, SAMPLES, "failed", reason, 0, None, time.perf_counter() - start, rule)
        return
    subject = subject_of(op, inputs, catalogue or {}, examples, rule)
    for check in checks:
        yield run(check, subject)


@contextlib.contextmanager
def _named(what: str) -> Iterator[None]:
    """Say what is running if it takes long, and when somebody ends it: an op may go on for ever."""
    try:
        with named_if_long(what):
            yield
    except KeyboardInterrupt as stopped:
        stopped.add_note(f"{what} was running; nothing was concluded about it")
        raise


def subject_of(
    op: Builtin,
    inputs: Inputs,
    builtins: Mapping[str, Builtin],
    examples: list[Result] | None = None,
    rule: str = OWN,
) -> Subject:
    """Put a builtin with one of its rules under test."""
    computed = op.with_rule(rule) if rule != OWN or op.rules else op
    return Subject(computed, inputs.samples, builtins, examples, rule, inputs.refused)


def applies(check: Check, rule: str) -> bool:
    """Tell whether a rule has a part in what a check proves."""
    return rule == OWN or check.involves_rule


def run(check: Check, subject: Subject) -> Outcome:
    """Run one check on one builtin.

    Returns:
        What it said. An exception that nobody expected is a failure too, named with its type.
    """
    start = time.perf_counter()
    evidence, status, message, cause = Evidence(), "passed", "", ""
    subject.current = None
    try:
        with (
            _named(f"{subject.op.name}: the check {check.name}"),
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            warnings.simplefilter("ignore")  # one check turns them into errors; the others are about something else
            evidence = check.run(subject)
        message = evidence.note
    except NotApplicable as reason:
        status, message = "not applicable", str(reason)
    except Refuted as refutation:
        status, message = "failed", str(refutation)
    except (Exception, SystemExit) as error:  # the builtin under test may raise anything
        place = place_of(error)
        message = f"it raises {type(error).__name__}: {error}" + (f", in {place}" if place else "")
        status, cause = "failed", place or message
        message += on(subject, subject.current) if subject.current else ""
    seconds = time.perf_counter() - start
    return Outcome(
        subject.op.name,
        check.name,
        status,
        message,
        evidence.inputs,
        evidence.worst,
        seconds,
        subject.rule,
        check.sentence,
        evidence.refused,
        cause,
    )


def examples_by_builtin(catalogue: Catalogue, names: set[str]) -> dict[str, list[Result]]:
    """Run the examples of the plugins that some builtins come from.

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
                result = run_example(example, runner)
                for name in used:
                    found[name].append(result)
    return found


def _page(catalogue: Catalogue, name: str) -> Path | None:
    info = catalogue.plugin_of(name)
    return None if info.source.is_file else Path(info.path).parent / EXAMPLES_PAGE

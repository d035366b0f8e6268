"""Says whether an answer is right, with the shortest input on which it is not and the mistake that this comes from."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.checks.comparison.behaviour import only_moves
from opbook.checks.comparison.case import Case
from opbook.checks.comparison.kernel import Kernel
from opbook.checks.comparison.libraries import Library
from opbook.checks.comparison.session import Session
from opbook.checks.inputs import samples_of
from opbook.checks.refusals import refusal
from opbook.checks.samples import Sample
from opbook.checks.subject import cotangent_of
from opbook.errors import ExampleError
from opbook.examples.collection import find_exercises
from opbook.examples.exercise import Answer, Exercise
from opbook.exercises.attempt import new_module, own_function, quietly, run
from opbook.exercises.rules import Pullback, gradient_of, value_of
from opbook.plugins.catalogue import catalogue

RULE_OF = "rule of "
ANSWER, TEST = "answer.py", "the test"

DECIMALS = (0, 1, 2)
"""An input is shown with as few decimals as it can have and still fail."""

ROUNDED = 4
"""So many of the inputs that fail are tried with fewer decimals, the short ones."""

VISIBLE = 1e-3
"""An error that is smaller, relative to the numbers, is shown only if there is no larger one."""


@dataclass(frozen=True)
class Verdict:
    """What was found about an answer.

    Attributes:
        message: What is wrong, with the numbers; "" if nothing is.
        call: The shortest input that fails, as a call that can be pasted; "" where it was not one input that failed.
        trace: All that was found wrong. Two answers that make the same mistake have the same one.
    """

    message: str = ""
    call: str = ""
    trace: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return not self.message

    def __str__(self) -> str:
        return f"{self.message}\non {self.call}" if self.call else self.message


def judge(exercise: Exercise, code: str, filename: str = ANSWER) -> Verdict:
    """Judge an answer that stands alone, as a learner's file does.

    Args:
        exercise: The exercise.
        code: The answer.
        filename: What messages call its file.

    Raises:
        UnknownBuiltinError: There is no builtin of the name that the exercise is judged by.
    """
    return _judge(exercise, [code], filename)


def judge_source(source: str, code: str) -> dict[str, Any]:
    """Judge an answer where there is nothing of the exercise but its source, as in a page that is open in a browser.

    Args:
        source: The fences of the exercise.
        code: The answer.

    Returns:
        Plain values: `passed`, and what the check says as `message`, `call` and `mistakes`.

    Raises:
        ExampleError: The source is not that of one exercise.
    """
    found = find_exercises("page.md", source)
    if len(found) != 1:
        raise ExampleError(f"an answer is judged by the fences of one exercise, but these are {len(found)} exercises")
    exercise = found[0]
    verdict = judge(exercise, code)
    return {
        "passed": verdict.passed,
        "message": verdict.message,
        "call": verdict.call,
        "mistakes": list(mistakes_in(exercise, verdict)),
    }


def judge_fence(exercise: Exercise, answer: Answer) -> Verdict:
    """Judge an answer of the page itself, which may count on what the stub imports and defines beside its function."""
    return _judge(exercise, [exercise.stub.code, answer.code], ANSWER)


def mistakes_in(exercise: Exercise, verdict: Verdict) -> tuple[str, ...]:
    """Find the mistakes that a wrong answer may have been made with.

    Returns:
        What is wrong in each answer of the page that fails in just the same way.
    """
    if not verdict.trace:
        return ()
    return tuple(one.mistake for one in exercise.wrong if judge_fence(exercise, one).trace == verdict.trace)


def _judge(exercise: Exercise, parts: list[str], filename: str) -> Verdict:
    module = new_module(filename)
    function = None
    for code in parts:
        module.__dict__.pop(exercise.function, None)  # so that each part defines its own
        problem = run(code, filename, module)
        function = own_function(module, exercise.function)
        if problem:
            return _wrong(problem)
    if function is None:
        return _wrong(f"there is no function {exercise.function} in it{_others(module)}")
    if exercise.judged_by:
        verdict = _held_to_builtin(exercise, function)
        if not verdict.passed:
            return verdict
    if exercise.test is not None:
        test = new_module(TEST)
        vars(test).update({**vars(module), "np": np})  # an answer that lacks an import fails in its own line
        problem = run(exercise.test.code, TEST, test, filename)
        if problem:
            return _wrong(problem)
    return Verdict()


def _others(module: ModuleType) -> str:
    """The functions that an answer has instead: the name may be misspelled."""
    names = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return f", only {', '.join(names)}" if names else ""


def _wrong(message: str) -> Verdict:
    return Verdict(message, trace=(_without_place(message),))


def _without_place(message: str) -> str:
    """A message without the line that it names, which differs from one answer to the next."""
    return re.sub(r"^line \d+: | \([^()]*:\d+\)$", "", message)


def _held_to_builtin(exercise: Exercise, function: Callable[..., Any]) -> Verdict:
    is_rule = exercise.judged_by.startswith(RULE_OF)
    loaded = catalogue()
    loaded.load_samples()
    op = loaded[exercise.judged_by.removeprefix(RULE_OF).strip()]
    samples = samples_of(op)
    numpy = Library("numpy", "an exercise is written with NumPy")
    session = Session(
        op=op,
        kernel=Kernel(value_of(function) if is_rule else function, numpy),
        gradient=Pullback(gradient_of(function), numpy) if is_rule else None,
        dtypes=("float64",),
        may_view=only_moves(op, samples),
    )
    with quietly():
        found = session.compared(samples)
        failed = [*found.of("failed", is_edge=False), *found.of("refused", is_edge=False)]
        if not failed:
            return Verdict() if found.of("passed", is_edge=False) else _wrong(found.sentence)
        shown = _simplest(session, {sample.label: sample for sample in reversed(samples)}, failed)
    return Verdict(
        shown.message.partition("; every number is one of ")[0],  # it is so because the input was rounded
        shown.paste,
        tuple(f"{case.label}: {case.what}: {_without_place(case.message)}" for case in failed),
    )


def _simplest(session: Session, samples: dict[str, Sample], failed: list[Case]) -> Case:
    """The failure that is easiest to understand: on a short input of few digits, and large enough to be seen."""

    def rank(case: Case) -> tuple[bool, bool, bool, int]:
        sample = samples.get(case.label)
        is_lone = sample is not None and all(array.size < 2 for array in sample.arrays())
        is_faint = case.error is not None and case.error < VISIBLE
        return "<" in case.paste, is_faint, is_lone, len(case.paste)

    short = sorted(failed, key=rank)[:ROUNDED]
    easier = [
        again
        for case in short
        if case.label in samples
        for decimals in DECIMALS
        for again in _rounded_cases(session, samples[case.label], decimals)
        if (again.what, again.status) == (case.what, case.status)
    ]
    return min([*short, *easier], key=rank)


def _rounded_cases(session: Session, sample: Sample, decimals: int) -> Iterator[Case]:
    def rounded(leaf: Any) -> Any:
        is_float = isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind == "f"
        return np.asarray(np.round(leaf, decimals) + 0.0) if is_float else leaf  # no -0

    args = tree.map(rounded, sample.args)
    kwargs = {name: tree.map(rounded, value) for name, value in sample.kwargs.items()}
    if refusal(session.op, args, kwargs):
        return
    easy = replace(session, cotangent=lambda value: tree.map(rounded, cotangent_of(value)))
    found = easy.compared([])
    yield from easy.cases(replace(sample, args=args, kwargs=kwargs), found)

"""Proves exercises by their own fences: the stub and the wrong answers fail, the reference passes."""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

from opbook.errors import UnknownBuiltinError
from opbook.examples.collection import find_exercises, pages
from opbook.examples.example import PageError, Result, Status, place
from opbook.examples.exercise import Exercise
from opbook.examples.running import named_if_long
from opbook.exercises.judging import Verdict, judge, judge_fence


@dataclass(frozen=True)
class Proof:
    """What an exercise's own fences say of it.

    Attributes:
        exercise: The exercise.
        problems: What is wrong with it, each with file and line; none if it is proved.
        wrong: What the check says of each wrong answer.
    """

    exercise: Exercise
    problems: tuple[str, ...] = ()
    wrong: tuple[Verdict, ...] = ()

    @property
    def result(self) -> Result:
        """The proof as the result of an example."""
        status: Status = "failed" if self.problems else "passed"
        return Result(self.exercise.path, self.exercise.stub.line, status, "\n".join(self.problems))


def prove(exercise: Exercise) -> Proof:
    """Judge the stub, the reference and every wrong answer of an exercise."""
    try:
        with named_if_long(f"{exercise.place}: this exercise"):
            return _proved(exercise)
    except UnknownBuiltinError as error:
        return Proof(exercise, (f"{exercise.place}: the exercise {exercise.name} is judged by no builtin: {error}",))


def prove_pages(paths: Iterable[str | PathLike[str]]) -> list[Result]:
    """Prove the exercises of Markdown pages.

    Returns:
        One result per exercise; none for a page that cannot be collected, as whoever runs its examples says so.
    """
    results: list[Result] = []
    for path in pages(paths):
        try:
            exercises = find_exercises(path)
        except PageError:
            continue
        results += [prove(exercise).result for exercise in exercises]
    return results


def _proved(exercise: Exercise) -> Proof:
    assert exercise.reference is not None
    name, problems, verdicts = exercise.name, [], []
    if judge(exercise, exercise.stub.code).passed:
        problems.append((exercise.stub, f"the stub of {name} passes as it stands"))
    right = judge_fence(exercise, exercise.reference)
    if not right.passed:
        problems.append((exercise.reference, f"the reference of {name} fails: {right}"))
    for answer in exercise.wrong:
        verdict = judge_fence(exercise, answer)
        verdicts.append(verdict)
        if verdict.passed:
            problems.append((answer, f"this wrong answer to {name} passes: {answer.mistake}"))
        elif answer.says not in str(verdict):
            problems.append((answer, f"the message lacks {answer.says!r}: {verdict}"))
    return Proof(
        exercise,
        tuple(f"{place(exercise.path, answer.line)}: {problem}" for answer, problem in problems),
        tuple(verdicts),
    )

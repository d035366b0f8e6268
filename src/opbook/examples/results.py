"""What became of examples: run, and compared with what their pages show."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any

from opbook.examples.agreement import disagreement
from opbook.examples.collection import find, pages
from opbook.examples.example import Example, Frame, PageError, Result
from opbook.examples.runner import Produced, Runner


def run_pages(paths: Iterable[str | PathLike[str]], catalogue: Mapping[str, Callable[..., Any]]) -> list[Result]:
    """Run the examples of pages and compare what they print with what the pages show.

    Returns:
        One result per example, page by page, top to bottom; one failed result for a page that cannot be collected.
    """
    runner = Runner(catalogue)
    results: list[Result] = []
    for path in pages(paths):
        try:
            examples = find(path)
        except PageError as error:
            results.append(Result(path, error.line, "failed", str(error)))
        else:
            results += [run_example(example, runner) for example in examples]
    return results


def run_example(example: Example, runner: Runner) -> Result:
    """Run one example and compare.

    Returns:
        What became of it. `printed` and `figures` are there if it ran to its end, also where the output differs.
    """
    reason = example.why_not_run
    if reason is not None:
        return Result(example.path, example.line, "skipped", f"{example.place}: {reason}", example)
    try:
        produced = runner.produce(example)
        frames = tuple(_frames(example, produced, runner))
    except PageError as error:
        return Result(example.path, example.line, "failed", str(error), example)
    difference = disagreement(example.output or "", produced.printed)
    if difference is None:
        return Result(example.path, example.line, "passed", "", example, produced.printed, produced.figures, frames)
    if example.output is None:
        difference = "no output fence shows what it printed.\n" + difference.partition("\n")[2]
    page = example.place.rpartition(":")[0]
    message = f"{example.place}: {difference}\nIf the printed output is right, run: opbook examples --update {page}"
    return Result(example.path, example.line, "failed", message, example, produced.printed, produced.figures)


def _frames(example: Example, produced: Produced, runner: Runner) -> Iterator[Frame]:
    """Run an example once more for each other value of its choice."""
    choice = example.choice
    if choice is None:
        return
    for value in choice.values:
        is_default = value == choice.value
        try:
            made = produced if is_default else runner.produce(example.varied(value))
        except PageError as error:
            raise PageError(error.path, error.line, f"with {choice.name} = {value}, {error.problem}") from error
        yield Frame(choice.name, value, is_default, made.printed, made.figures)

"""Rewriting the outputs that pages show."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from opbook.examples.agreement import disagreement
from opbook.examples.collection import find, pages, read
from opbook.examples.example import Example, PageError, Result
from opbook.examples.fences import open_fence
from opbook.examples.files import replacing
from opbook.examples.lines import split_lines, split_prefix
from opbook.examples.results import run_example
from opbook.examples.runner import Runner


def update(paths: Iterable[str | PathLike[str]], catalogue: Mapping[str, Callable[..., Any]]) -> list[Result]:
    """Run the examples of pages and rewrite the outputs that differ, add missing ones and remove empty ones.

    A page is written only if every example of it ran as it should, and then in one step. Outputs that agree are left as
    they are, so that a second update changes nothing.

    Returns:
        One result per example: `"updated"` where the page was changed, `"failed"` where it could not be.
    """
    runner = Runner(catalogue)
    results: list[Result] = []
    for path in pages(paths):
        try:
            results += _update_page(path, runner)
        except PageError as error:
            results.append(Result(path, error.line, "failed", str(error)))
    return results


def _update_page(path: Path, runner: Runner) -> list[Result]:
    text = read(path)
    results = [run_example(example, runner) for example in find(path, text)]
    broken = [result for result in results if result.status == "failed" and result.printed is None]
    if broken:
        return [_held_back(result, broken[0]) if _differs(result) else result for result in results]
    if not any(map(_differs, results)):
        return results
    _write(path, text, _rewritten(path, text, results))
    return [replace(result, status="updated", message="") if _differs(result) else result for result in results]


def _differs(result: Result) -> bool:
    """Tell whether a page has to change: a wrong output, or a fence that shows nothing."""
    example = result.example
    if example is None or result.printed is None:
        return False
    return result.status == "failed" or (example.output is not None and not result.printed.strip())


def _held_back(result: Result, broken: Result) -> Result:
    message = f"{result.message}\nIt was not updated, because line {broken.line} of the page fails."
    return replace(result, status="failed", message=message.lstrip())


def _rewritten(path: Path, text: str, results: list[Result]) -> str:
    """Write the outputs into the text of a page, and make sure that they are found there again."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines, endings = split_lines(text.removeprefix(mark))
    for result in reversed(results):  # Bottom-up, so that the line numbers above stay right.
        if _differs(result) and result.example is not None and result.printed is not None:
            _put(lines, endings, result.example, result.printed)
    new = mark + "".join(line + ending for line, ending in zip(lines, endings, strict=True))
    found = find(path, new)
    for result, example in zip(results, found, strict=True):
        if result.printed is not None and disagreement(example.output or "", result.printed):
            raise PageError(path, result.line, "what this example prints cannot be shown in a fence.")
    return new


def _put(lines: list[str], endings: list[str], example: Example, printed: str) -> None:
    """Replace, add or remove one output fence."""
    start, stop = example.end, example.output_span[1] if example.output_span else example.end
    block: list[str] = []
    if printed.strip():
        between = lines[start : example.output_span[0] - 1] if example.output_span else None
        block = _output_block(lines, example, printed, between)
    newline = endings[example.line - 1]
    last = endings[stop - 1]
    endings[start - 1] = newline if block else last
    endings[start:stop] = [newline] * (len(block) - 1) + [last] if block else []
    lines[start:stop] = block


def _output_block(lines: list[str], example: Example, printed: str, between: list[str] | None) -> list[str]:
    """Write an output fence and the blank lines above it, indented and quoted as the example is."""
    prefix, rest = split_prefix(lines[example.line - 1])
    opening = f"{rest[0] * 3}output"
    if example.output_span:
        prefix, opening = split_prefix(lines[example.output_span[0] - 1])
    marker, info = open_fence(opening) or ("```", "output")
    output = [line.rstrip() for line in split_lines(printed)[0]]
    while output and not output[-1]:
        output.pop()
    marker = marker[0] * max(len(marker), _longest_run(marker[0], output) + 1)
    content = [f"{prefix}{line}" if line else prefix.rstrip() for line in output]
    space = [prefix.rstrip()] if between is None else between
    return [*space, f"{prefix}{marker}{info}", *content, f"{prefix}{marker}"]


def _longest_run(character: str, output: list[str]) -> int:
    """Measure the longest run of a fence's character that could be taken for a fence, 2 if there is none."""
    runs = (re.match(rf"[> \t]*({re.escape(character)}*)", line) for line in output)
    return max([2, *(len(run[1]) for run in runs if run)])


def _write(path: Path, before: str, after: str) -> None:
    try:
        with replacing(path) as draft:
            draft.write_bytes(after.encode())
            if read(path) != before:
                raise PageError(path, 1, "the page was changed while its examples ran; nothing was written. Try again.")
    except UnicodeEncodeError as error:
        raise PageError(path, 1, f"an example prints what is not UTF-8 text: {error.reason}.") from error
    except OSError as error:
        raise PageError(path, 1, f"cannot write the page: {error.strerror}.") from error

"""Examples as tests: a parser for [Sybil](https://sybil.readthedocs.io), which shows them to pytest.

In the `conftest.py` of a project's root folder:

    from sybil import Sybil
    from opbook.testing.sybil import ExampleParser

    pytest_collect_file = Sybil([ExampleParser()], pattern="*.md").pytest()
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from sybil import Document, Region
from sybil import Example as SybilExample

from opbook.examples import Example, PageError, Runner, find, find_exercises, run_example

Builtins = Mapping[str, Callable[..., Any]]


class ExampleParser:
    """Makes one test of each example and exercise of a page, and a failing one of a fence that no test would run."""

    def __init__(self, catalogue: Callable[[], Builtins] | None = None) -> None:
        """Set up a parser.

        Args:
            catalogue: Gives the builtins that `qu` examples can call, by default those of all plugins. It is called
                when the first example runs, so that collecting tests loads no plugin.
        """
        self._catalogue = catalogue or _default_catalogue
        self._runner: Runner | None = None

    def __call__(self, document: Document) -> Iterable[Region]:
        """Find the examples and the exercises of a page.

        Yields:
            A region for each; or a single one, for the line that is refused.
        """
        starts = [0, *accumulate(len(line) + 1 for line in document.text.split("\n"))]
        try:
            examples = find(Path(document.path), document.text)
            exercises = find_exercises(Path(document.path), document.text)
        except PageError as error:
            start = starts[error.line - 1]
            yield Region(start, start, error, _refuse)
            return
        for example in examples:
            start = starts[example.line - 1]
            yield Region(start, start, example, self._evaluate)
        for exercise in exercises:
            start = starts[exercise.stub.line - 1]
            yield Region(start, start, exercise, _prove)

    def _evaluate(self, region: SybilExample) -> str | None:
        example: Example = region.parsed
        if self._runner is None:
            self._runner = Runner(self._catalogue())
        result = run_example(example, self._runner)
        if result.status == "skipped":
            pytest.skip(result.message)
        return result.message or None


def _default_catalogue() -> Builtins:
    from opbook.plugins.catalogue import catalogue

    return catalogue()


def _prove(region: SybilExample) -> str | None:
    from opbook.exercises import prove  # here, so that pages without exercises need no checks

    return prove(region.parsed).result.message or None


def _refuse(region: SybilExample) -> str:
    return str(region.parsed)

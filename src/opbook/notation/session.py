"""A session: programs that share their definitions."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from opbook.notation.evaluate import evaluate
from opbook.notation.functions import Function, Scope
from opbook.notation.guard import OutOfTime, alarm
from opbook.notation.limits import Budget, Limits, out_of_time
from opbook.notation.nodes import Assign, Bare, Define, Node, Statement
from opbook.notation.parser import parse
from opbook.notation.source import Mistake, Source, normalized


class Session:
    """Runs programs of the `qu` notation. What one defines, the next can use.

    A program can compute with the builtins of the catalogue and nothing else: it has no files, no imports, and no way
    to Python's attributes. Its steps, calls, time, texts and arrays are bounded.

    Args:
        catalogue: The builtins by name: any Python functions.
        limits: What each run may use.

    Example:
        >>> session = Session({"double": lambda x: 2 * x})
        >>> session.run("x = double(21); x + 1")
        43
    """

    def __init__(self, catalogue: Mapping[str, Callable[..., Any]], *, limits: Limits | None = None) -> None:
        self.catalogue = catalogue
        self.limits = limits or Limits()
        self._definitions: dict[str, Any] = {}
        self._active = threading.local()  # the budget of the run in progress, for functions that Python calls back

    @property
    def names(self) -> list[str]:
        """The names that a program can use: those defined so far and the builtins, sorted."""
        return sorted({*self._definitions, *self.catalogue})

    def run(self, text: str, filename: str = "<input>") -> Any:
        """Run a program.

        Args:
            text: The program.
            filename: What messages call it.

        Returns:
            The value of the last statement that is a bare expression, or None if there is none. It is not printed.

        Raises:
            NotationError: The program has a mistake, or reached a limit. Statements before it have taken effect.
        """
        source = Source(normalized(text), filename)
        if len(text) > self.limits.characters:
            raise source.error(
                Mistake(0, f"the program has {len(text):,} characters; the limit is {self.limits.characters:,}")
            )
        value, at = None, 0
        scope = Scope(source, self._definitions, self.catalogue)
        try:
            with self._budget() as budget:
                for statement in parse(source):
                    at = statement.expression.at
                    result = self._execute(statement, scope, budget)
                    value = result if isinstance(statement, Bare) else value
        except OutOfTime:  # it rang while the program was read, or between two expressions
            raise source.error(out_of_time(self.limits, at)) from None
        return value

    def _execute(self, statement: Statement, scope: Scope, budget: Budget) -> Any:
        if isinstance(statement, Define):
            self._definitions[statement.name] = Function(statement, scope, self._call_back)
            return None
        result = evaluate(statement.expression, scope, budget)
        if isinstance(statement, Assign):
            if result is None:
                at = statement.expression.at
                raise scope.source.error(Mistake(at, f"this call gives no value that {statement.name} could stand for"))
            self._definitions[statement.name] = result
        return result

    def _call_back(self, body: Node, scope: Scope) -> Any:
        """Evaluate a function's body for Python, within the run in progress if there is one."""
        with self._budget() as budget:
            if budget.reentries >= budget.REENTRIES:
                message = f"{scope.function} is called by a builtin inside itself too often: the recursion has no end"
                raise scope.source.error(Mistake(body.at, message))
            budget.reentries += 1
            try:
                return evaluate(body, scope, budget)
            finally:
                budget.reentries -= 1

    @contextmanager
    def _budget(self) -> Iterator[Budget]:
        """Find this thread's budget, or begin a new one. NumPy's warnings are off: 1/0 is inf without a word."""
        budget = getattr(self._active, "budget", None)
        if budget is not None:
            yield budget
            return
        self._active.budget = Budget(self.limits)
        try:
            with np.errstate(all="ignore"), alarm(self.limits.seconds):
                yield self._active.budget
        finally:
            self._active.budget = None

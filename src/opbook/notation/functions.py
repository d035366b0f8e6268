"""User functions: what `f(x, y) = expression` defines."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opbook.notation.nodes import Define, Node
from opbook.notation.source import Mistake, Source


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression is evaluated.

    Attributes:
        source: The program that it stands in.
        definitions: The session's own names.
        catalogue: The builtins.
        parameters: The arguments of the function whose body it is.
        function: That function's name, or None.
    """

    source: Source
    definitions: Mapping[str, Any]
    catalogue: Mapping[str, Callable[..., Any]]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    function: str | None = None


class Function:
    """A function of the notation, which Python can call too, so that `grad(f)` works.

    Args:
        definition: Its definition.
        scope: The scope of the definition; its other names are looked up when it is called.
        run: Evaluates a body in a scope.
    """

    def __init__(self, definition: Define, scope: Scope, run: Callable[[Node, Scope], Any]) -> None:
        self.__name__ = definition.name
        self.parameters = definition.parameters
        self.body = definition.expression
        self._scope = scope
        self._run = run

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call it from Python.

        Raises:
            NotationError: The arguments do not fit, or the evaluation fails.
        """
        try:
            scope = self.enter(arguments, keywords, self.body.at)
        except Mistake as mistake:
            raise self._scope.source.error(mistake) from None
        return self._run(self.body, scope)

    def enter(self, arguments: Sequence[Any], keywords: Mapping[str, Any], at: int) -> Scope:
        """Bind arguments.

        Raises:
            Mistake: The arguments do not fit the parameters.
        """
        bound = dict(zip(self.parameters, arguments, strict=False))
        unknown = [name for name in keywords if name not in self.parameters]
        missing = [name for name in self.parameters if name not in bound and name not in keywords]
        problem = ""
        if len(arguments) > len(self.parameters):
            count = len(self.parameters)
            problem = f"takes {count} {'argument' if count == 1 else 'arguments'}, but got {len(arguments)}"
        elif unknown:
            problem = f"has no parameter {unknown[0]}"
        elif missing:
            problem = f"needs {' and '.join(missing)}, which the call lacks"
        elif twice := [name for name in keywords if name in bound]:
            problem = f"got {twice[0]} twice, by position and by name"
        if problem:
            raise Mistake(at, f"{self.__name__} {problem}", f"Call it as {self}")
        return Scope(
            self._scope.source,
            self._scope.definitions,
            self._scope.catalogue,
            {**bound, **keywords},
            self.__name__,
        )

    def __repr__(self) -> str:
        return f"{self.__name__}({', '.join(self.parameters)})"

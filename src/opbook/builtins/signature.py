"""Call shapes: the signature of a builtin with its definition and its rule."""

import inspect
import typing
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from opbook.builtins import docstring as docstrings
from opbook.builtins.annotations import spec_of
from opbook.builtins.layout import Layouts
from opbook.builtins.rule import RuleFunction, first_that_takes
from opbook.builtins.specs import ArraySpec, Binding, MaskSpec, Spec
from opbook.builtins.specs.scope import refuse_unknown_names
from opbook.errors import ArgumentError, DeclarationError, OpbookError, nearest

EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Param:
    """One parameter of a call shape.

    Attributes:
        name: Its name.
        spec: What its argument must be.
        default: Its default, or `inspect.Parameter.empty`.
        keyword_only: Whether it can only be given by name.
        doc: What the docstring says of it, on one line.
    """

    name: str
    spec: Spec
    default: Any
    keyword_only: bool
    doc: str

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is EMPTY


class CallShape:
    """One way to call a builtin: a signature with its definition and rule.

    Attributes:
        name: The builtin's name.
        definition: The decorated function.
        params: Its parameters in order.
        returns: What it returns.
        own_rule: The fused forward and VJP that was given with `defvjp`, or None.
        rule: What runs when it is called: the own rule, or other plugins' rules before it. Without an own rule it may
            answer `NotImplemented`, and the definition is differentiated instead; None if there is no rule at all.
    """

    def __init__(self, name: str, definition: Callable[..., Any]) -> None:
        self.name = name
        self.definition = definition
        self.doc = docstrings.parse(definition.__doc__)
        self.own_rule: RuleFunction | None = None
        self.rule: RuleFunction | None = None
        hints = typing.get_type_hints(definition, include_extras=True)
        self.params = [self._param(p, hints) for p in inspect.signature(definition).parameters.values()]
        self.returns = self._spec("return", hints.get("return", EMPTY))
        try:
            refuse_unknown_names(((p.name, p.spec) for p in self.params), self.returns)
        except DeclarationError as error:
            raise DeclarationError(f"{name}: {error}") from None
        self.positional = [p for p in self.params if not p.keyword_only]
        self._keyword_only = [p for p in self.params if p.keyword_only]
        self._by_name = {p.name: p for p in self.params}
        self._required = {p.name for p in self.params if p.required}
        self._defaults = [p.default for p in self.positional]
        self._layouts = Layouts([p.spec for p in self.params])

    def _param(self, parameter: inspect.Parameter, hints: dict[str, Any]) -> Param:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise DeclarationError(
                f"{self.name}: *{parameter.name} is not possible; take a tuple, as in tuple[Any, ...]"
            )
        return Param(
            parameter.name,
            self._spec(parameter.name, hints.get(parameter.name, EMPTY)),
            parameter.default,
            parameter.kind is parameter.KEYWORD_ONLY,
            self.doc.arguments.get(parameter.name, ""),
        )

    def _spec(self, what: str, hint: Any) -> Spec:
        if hint is EMPTY:
            missing, example = (what, f"{what}: ") if what != "return" else ("the result", "-> ")
            raise DeclarationError(
                f'{self.name}: {missing} has no annotation; write for example {example}Array["... D"]'
            )
        try:
            return spec_of(hint)
        except DeclarationError as error:
            raise DeclarationError(f"{self.name}: {what}: {error}") from None

    def __str__(self) -> str:
        required = {param.name: f"{param.name}=" if param.keyword_only else param.name for param in self.params}
        return f"{self.name}({', '.join(required[p.name] if p.required else f'[{p.name}=]' for p in self.params)})"

    def defvjp(self, rule: Callable[..., tuple[Any, Callable[[Any], Any]]]) -> Callable[..., Any]:
        """Give this call shape a rule.

        Args:
            rule: Takes the definition's arguments and returns `(value, pullback)`. `pullback(g)` returns a tuple with
                one gradient for each positional parameter, built as the argument is, and None for a parameter that has
                none (a mask, a number of heads).

        Raises:
            DeclarationError: Its parameters or their defaults are not the definition's, or there is a rule already.
        """
        if self.own_rule is not None:
            raise DeclarationError(f"{self.name} has a rule already")
        if misfit := self.misfit(rule):
            raise DeclarationError(f"{self.name}: {misfit}")
        self.own_rule = self.rule = rule
        return rule

    def misfit(self, rule: RuleFunction) -> str:
        """Say why a function can't be a rule of this call shape.

        Returns:
            What is different about its signature, or "" if it is the definition's.
        """
        expected = list(inspect.signature(self.definition).parameters.values())
        try:
            got = list(inspect.signature(rule).parameters.values())
        except (TypeError, ValueError):  # compiled code may have none
            return f"the rule {rule!r} has no signature that Python can read; wrap it in a function"
        if [(p.name, p.kind) for p in expected] != [(p.name, p.kind) for p in got]:
            return (
                f"the rule's parameters ({', '.join(p.name for p in got)}) must be the definition's "
                f"({', '.join(p.name for p in expected)}), in order and of the same kinds"
            )
        for mine, theirs in zip(got, expected, strict=True):
            if repr(mine.default) != repr(theirs.default):  # not ==, which an array answers entry by entry
                default, due = ("none" if p.default is EMPTY else repr(p.default) for p in (mine, theirs))
                return f"the rule's default of {mine.name} is {default}, but must be the definition's, {due}"
        return ""

    def ask_first(self, functions: Sequence[RuleFunction]) -> None:
        """Have other rules asked before the own one.

        Args:
            functions: The rules, in order; none of them, and the own rule is all there is.
        """
        own = [] if self.own_rule is None else [self.own_rule]
        self.rule = first_that_takes([*functions, *own]) if functions else self.own_rule

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any], list[Any]]:
        """Check and convert the arguments of a call.

        Returns:
            One value for each positional parameter, defaults filled in; the keyword-only arguments that were given; and
            the arrays of floats and the values on tapes among all of them.

        Raises:
            OpbookError: The arguments do not fit.
        """
        floats = self._layouts.floats_if_fitting(args, kwargs)
        if floats is not None:
            return [*args, *self._defaults[len(args) :]], kwargs, floats
        binding = Binding()
        given = self._place(args, kwargs)
        positional = [_convert(p, given[p.name], binding) if p.name in given else p.default for p in self.positional]
        keywords = {p.name: _convert(p, given[p.name], binding) for p in self._keyword_only if p.name in given}
        binding.finish()
        self._layouts.remember(args, kwargs, positional[: len(args)], keywords)
        return positional, keywords, binding.floats

    def count_taken(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """Count the arguments that would fit if each came alone; the call shape that was meant has the most."""
        given = dict(zip((param.name for param in self.positional), args, strict=False)) | kwargs
        taken = 0
        for name in given.keys() & self._by_name.keys():
            with suppress(OpbookError):
                _convert(self._by_name[name], given[name], Binding())
                taken += 1
        return taken

    def sizes_of(self, positional: list[Any]) -> Binding:
        """Tell what a call's arguments fix."""
        binding = Binding()
        for param, value in zip(self.positional, positional, strict=True):
            if value is not None:
                param.spec.convert(value, param.name, binding)
        binding.finish()
        return binding

    def shapes_made(self, positional: list[Any]) -> list[tuple[int | None, ...]]:
        """Tell the shapes that a call computes, from the annotations alone.

        Returns:
            The shape of the value, if it is an array with named dimensions or entry by entry, and the one that each
            mask broadcasts to; None stands for a dimension that no argument fixes.
        """
        binding = self.sizes_of(positional)
        specs = [self.returns, *(getattr(p.spec, "inner", p.spec) for p in self.params)]
        wanted = [specs[0], *(spec for spec in specs[1:] if isinstance(spec, MaskSpec))]
        return [spec.shape(binding) for spec in wanted if isinstance(spec, ArraySpec)]

    def _place(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self.positional):
            most = (
                "1 positional argument" if len(self.positional) == 1 else f"{len(self.positional)} positional arguments"
            )
            raise ArgumentError(f"takes at most {most}, but got {len(args)}. Call it as {self}")
        given = {param.name: value for param, value in zip(self.positional, args, strict=False)}
        for name, value in kwargs.items():
            if name not in self._by_name:
                raise ArgumentError(f"has no argument {name}.{nearest(name, self._by_name)} Call it as {self}")
            if name in given:
                raise ArgumentError(f"got {name} twice, by position and by name. Call it as {self}")
            given[name] = value
        if not self._required <= given.keys():
            missing = " and ".join(p.name for p in self.params if p.required and p.name not in given)
            raise ArgumentError(f"needs {missing}, which the call lacks. Call it as {self}")
        return given


def _convert(param: Param, value: Any, binding: Binding) -> Any:
    return None if value is None and param.default is None else param.spec.convert(value, param.name, binding)

"""Builtins: named ops with call shapes, a definition, a VJP rule and a note.

    @builtin(category="Statistics & ML")
    def layer_norm(x: Array["... D"], gamma: Array["D"], beta: Array["D"], *, eps: float = 1e-5) -> Array["... D"]:
        ...

The decorated function is the *definition*: plain NumPy, the meaning of the op, evaluated in float64. The *rule* given
with `defvjp` is what runs where there is one: fast, in the caller's precision, and held to the definition.
"""

import inspect
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from opbook import docstrings, tree
from opbook.annotations import Binding, Spec, renamed, spec_of
from opbook.derivatives import cast
from opbook.errors import ArgumentError, DeclarationError, InputError, OpbookError, RuleError, TapeError, nearest
from opbook.tape import (
    FLOATS,
    TapeValue,
    fit_cotangent,
    match_structure,
    newest_tape,
    off_tape,
    vjp,
)

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
        rule: The fused forward and VJP, or None.
    """

    def __init__(self, name: str, definition: Callable[..., Any]) -> None:
        self.name = name
        self.definition = definition
        self.doc = docstrings.parse(definition.__doc__)
        self.rule: Callable[..., tuple[Any, Callable[[Any], Any]]] | None = None
        hints = typing.get_type_hints(definition, include_extras=True)
        self.params = [self._param(p, hints) for p in inspect.signature(definition).parameters.values()]
        self.returns = self._spec("return", hints.get("return", EMPTY))
        self._positional = [p for p in self.params if not p.keyword_only]
        self._by_name = {p.name: p for p in self.params}

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
            raise DeclarationError(f'{self.name}: {what} has no annotation; write for example {what}: Array["... D"]')
        try:
            return spec_of(hint)
        except DeclarationError as error:
            raise DeclarationError(f"{self.name}: {what}: {error}") from None

    def __str__(self) -> str:
        return f"{self.name}({', '.join(p.name if p.required else f'[{p.name}=]' for p in self.params)})"

    def defvjp(self, rule: Callable[..., tuple[Any, Callable[[Any], Any]]]) -> Callable[..., Any]:
        """Give this call shape a rule.

        Args:
            rule: Takes the definition's arguments and returns `(value, pullback)`. `pullback(g)` returns a tuple with
                one gradient for each positional parameter, built as the argument is, and None for a parameter that has
                none (a mask, a number of heads).

        Returns:
            The rule itself.

        Raises:
            DeclarationError: Its parameters are not the definition's, or there is a rule already.
        """
        if self.rule is not None:
            raise DeclarationError(f"{self.name} has a rule already")
        expected = [(p.name, p.kind) for p in inspect.signature(self.definition).parameters.values()]
        got = [(p.name, p.kind) for p in inspect.signature(rule).parameters.values()]
        if expected != got:
            raise DeclarationError(
                f"{self.name}: the rule's parameters ({', '.join(name for name, _ in got)}) must be the definition's "
                f"({', '.join(name for name, _ in expected)}), in order and of the same kinds"
            )
        self.rule = rule
        return rule

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "Call":
        """Check and convert the arguments of a call.

        Args:
            args: Positional arguments.
            kwargs: Keyword arguments.

        Returns:
            The call, ready to be evaluated.

        Raises:
            OpbookError: The arguments do not fit.
        """
        given = self._place(args, kwargs)
        binding = Binding()
        for param in self.params:
            if param.name in given:
                if given[param.name] is None and param.default is None:
                    continue
                given[param.name] = param.spec.convert(given[param.name], param.name, binding)
        positional = [given.get(p.name, p.default) for p in self._positional]
        keywords = {p.name: given[p.name] for p in self.params if p.keyword_only and p.name in given}
        return Call(self, positional, keywords)

    def _place(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._positional):
            raise ArgumentError(
                f"takes at most {len(self._positional)} positional arguments, but {len(args)} came. Call it as {self}"
            )
        given = dict(zip((p.name for p in self._positional), args, strict=False))
        for name, value in kwargs.items():
            if name not in self._by_name:
                raise ArgumentError(f"has no argument {name}.{nearest(name, self._by_name)} Call it as {self}")
            if name in given:
                raise ArgumentError(f"got {name} twice, by position and by name. Call it as {self}")
            given[name] = value
        missing = [p.name for p in self.params if p.required and p.name not in given]
        if missing:
            raise ArgumentError(f"needs {' and '.join(missing)}, which did not come. Call it as {self}")
        return given


class Call:
    """A call with checked arguments.

    Attributes:
        shape: The call shape.
        positional: One value for each positional parameter, defaults filled in.
        keywords: The keyword-only arguments that were given.
    """

    __slots__ = ("dtype", "keywords", "positional", "shape")

    def __init__(self, shape: CallShape, positional: list[Any], keywords: dict[str, Any]) -> None:
        self.shape = shape
        self.positional = positional
        self.keywords = keywords
        self.dtype = self._dtype()

    def _dtype(self) -> Any:
        """The dtype that the arrays promote to; numbers beside arrays do not count, as in NumPy."""
        arrays = [
            leaf for leaf in tree.leaves([self.positional, self.keywords]) if isinstance(leaf, np.ndarray | TapeValue)
        ]
        floats = [a for a in arrays if a.dtype in FLOATS]
        counted = [a.dtype for a in floats if a.ndim] or [a.dtype for a in floats]
        return np.result_type(*counted) if counted else None

    def _in(self, dtype: Any) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with their arrays in another precision."""

        def convert(leaf: Any) -> Any:
            if isinstance(leaf, np.ndarray | TapeValue) and leaf.dtype in FLOATS and leaf.dtype != dtype:
                return cast(leaf, dtype)
            return leaf

        return tree.map_leaves(convert, self.positional), tree.map_leaves(convert, self.keywords)

    def _out(self, value: Any) -> Any:
        """A result in the precision of the arguments, rounded once; a scalar as a NumPy scalar."""

        def convert(leaf: Any) -> Any:
            if (
                isinstance(leaf, np.ndarray | np.floating | TapeValue)
                and leaf.dtype in FLOATS
                and self.dtype is not None
            ):
                with np.errstate(over="ignore"):  # beyond the range of a narrower dtype the honest answer is inf
                    leaf = leaf if leaf.dtype == self.dtype else cast(leaf, self.dtype)
            return leaf[()] if isinstance(leaf, np.ndarray) and leaf.ndim == 0 else leaf

        return tree.map_leaves(convert, value)

    def _run(self, function: Callable[..., Any], positional: list[Any], keywords: dict[str, Any]) -> Any:
        """Run the definition or the rule; NumPy's complaint about an axis becomes one that names the builtin."""
        try:
            return function(*positional, **keywords)
        except np.exceptions.AxisError as error:
            axes = "1 axis" if error.ndim == 1 else f"{error.ndim} axes"
            what = str(error) if error.ndim is None else f"axis {error.axis} is out of range; the array has {axes}"
            raise InputError(f"{self.shape.name}: {what}") from None

    def define(self) -> Any:
        """Evaluate the definition, in float64."""
        positional, keywords = self._in(np.dtype(np.float64))
        return self._out(self._run(self.shape.definition, positional, keywords))

    def apply(self) -> Any:
        """Evaluate the op: on the tape that its arguments are on, by the rule where there is one."""
        inputs = tree.leaves(self.positional)
        tape = newest_tape([*inputs, *tree.leaves(self.keywords)])
        if tape is None:
            return self.define() if self.shape.rule is None else self.run_rule()[0]
        plain, positions, places = off_tape(inputs, tape)
        if self.shape.rule is None or newest_tape([*plain, *tree.leaves(self.keywords)]) is not None:
            # no rule, a differentiated keyword, or a gradient of a gradient: step by step, through the definition
            return self.define()
        value, pullback = Call(self.shape, tree.rebuild(self.positional, plain), self.keywords).run_rule()

        def pull(g: Any) -> list[Any]:
            gradients = tree.leaves(pullback(g))
            return [gradients[i] for i in positions]

        if not isinstance(value, np.ndarray | np.generic):
            raise RuleError(f"{self.shape.name}: a rule's value must be one array to be differentiated on a tape")
        return tape.record(value, places, pull)

    def run_rule(self) -> tuple[Any, Callable[[Any], list[Any]]]:
        """Run the rule.

        Returns:
            The value, and a pullback with one gradient for each positional parameter, checked, and in the shapes and
            dtypes of the arguments.
        """
        assert self.shape.rule is not None
        dtype = np.dtype(np.float32) if self.dtype == np.float16 else self.dtype
        positional, keywords = self._in(dtype) if dtype is not None else (self.positional, self.keywords)
        value, pullback = self._run(self.shape.rule, positional, keywords)
        structure = tree.map_leaves(lambda _: None, value)
        metas = [(np.shape(leaf), np.asarray(leaf).dtype) for leaf in tree.leaves(value)]
        templates = [tree.map_leaves(_template, argument) for argument in self.positional]

        def checked(cotangent: Any) -> list[Any]:
            leaves = match_structure(cotangent, structure)
            if newest_tape(leaves) is not None:
                raise TapeError(
                    f"{self.shape.name}: the pullback of its rule can't be differentiated again; take grad(grad(f)), "
                    "or vjp of a function that calls grad, which goes through the definition"
                )
            leaves = [fit_cotangent(g, *meta) for g, meta in zip(leaves, metas, strict=True)]
            return self._check(pullback(tree.rebuild(structure, leaves)), templates)

        return self._out(value), checked

    def _check(self, gradients: Any, templates: list[Any]) -> list[Any]:
        """Hold what a rule's pullback returned to its contract."""
        params = [p for p in self.shape.params if not p.keyword_only]
        if not isinstance(gradients, tuple) or len(gradients) != len(params):
            got = f"{len(gradients)} gradients" if isinstance(gradients, tuple) else f"a {type(gradients).__name__}"
            raise RuleError(
                f"{self.shape.name}: the pullback must return a tuple of {len(params)} gradients "
                f"({', '.join(p.name for p in params)}), but returned {got}"
            )
        return [
            self._check_one(f"gradient of argument {i} ({param.name})", param, gradient, template)
            for i, (param, gradient, template) in enumerate(zip(params, gradients, templates, strict=True), 1)
        ]

    def _check_one(self, what: str, param: Param, gradient: Any, template: Any) -> Any:
        expected = tree.leaves(template)
        if not param.spec.differentiable:
            return tree.rebuild(template, [np.zeros(t.shape, t.dtype)[()] if t else None for t in expected])
        if not tree.same_structure(template, gradient):
            built, got = (", ".join(tree.paths(t, param.name)) for t in (template, gradient))
            raise RuleError(f"{self.shape.name}: {what} must be built as the argument is ({built}), but has {got}")
        found: list[Any] = []
        for i, (g, t) in enumerate(zip(tree.leaves(gradient), expected, strict=True)):
            if t is None:
                found.append(None)
                continue
            if g is None or np.shape(g) != t.shape:
                got = "is None" if g is None else f"has shape {np.shape(g)}"
                name = tree.paths(template, param.name)[i]
                raise RuleError(f"{self.shape.name}: {what}, at {name}, must have shape {t.shape}, but {got}")
            with np.errstate(over="ignore"):
                found.append(np.asarray(g, t.dtype)[()])
        return tree.rebuild(template, found)


@dataclass(frozen=True, slots=True)
class _Like:
    shape: tuple[int, ...]
    dtype: Any


def _template(leaf: Any) -> _Like | None:
    """What a gradient of this argument looks like; numbers and masks get zeros in float64."""
    if isinstance(leaf, np.ndarray):
        return _Like(leaf.shape, leaf.dtype if leaf.dtype in FLOATS else np.dtype(np.float64))
    return _Like((), np.dtype(np.float64)) if isinstance(leaf, int | float | np.generic) else None


class Builtin:
    """A named op. Make one with [`builtin`][opbook.builtin.builtin]; call it as a function.

    Attributes:
        name: What it is called, in Python and in the notation.
        category: Where the index shows it.
        aliases: Other words that people search for it by.
        call_shapes: Its call shapes; the first is the decorated function's.
    """

    def __init__(self, definition: Callable[..., Any], *, category: str, aliases: tuple[str, ...] = ()) -> None:
        self.name = definition.__name__
        self.category = category
        self.aliases = aliases
        self.call_shapes = [CallShape(self.name, definition)]
        self.__name__ = self.__qualname__ = self.name
        self.__doc__ = definition.__doc__
        self.__module__ = definition.__module__
        self.__wrapped__ = definition
        if not self.summary:
            raise DeclarationError(f'{self.name} needs a docstring: its first line becomes "What it is"')

    @property
    def definition(self) -> Callable[..., Any]:
        """The first call shape's definition: the decorated function itself."""
        return self.call_shapes[0].definition

    @property
    def rule(self) -> Callable[..., tuple[Any, Callable[[Any], Any]]] | None:
        """The first call shape's rule, for another op's rule to build on; it checks nothing."""
        return self.call_shapes[0].rule

    @property
    def doc(self) -> docstrings.Docstring:
        """The docstring's parts."""
        return self.call_shapes[0].doc

    @property
    def summary(self) -> str:
        """What it is, in one line."""
        return self.doc.summary

    @cached_property
    def note(self) -> str:
        """How it works: the comment above the definition, as Markdown."""
        comment = inspect.getcomments(self.definition) or ""
        return "\n".join(line.lstrip("#").removeprefix(" ") for line in comment.splitlines()).strip()

    @property
    def source_file(self) -> str:
        """The file that the definition stands in."""
        return self.definition.__code__.co_filename

    @property
    def source_line(self) -> int:
        """The line in that file."""
        return self.definition.__code__.co_firstlineno

    def defvjp(self, rule: Callable[..., tuple[Any, Callable[[Any], Any]]]) -> Callable[..., Any]:
        """Give the first call shape its rule; see [`CallShape.defvjp`][opbook.builtin.CallShape.defvjp]."""
        return self.call_shapes[0].defvjp(rule)

    def overload(self, definition: Callable[..., Any]) -> CallShape:
        """Add a call shape. Calls go to the first shape whose arguments fit.

        Args:
            definition: Its definition; its name does not matter.

        Returns:
            The call shape, which takes a rule of its own through `defvjp`.
        """
        shape = CallShape(self.name, definition)
        self.call_shapes.append(shape)
        return shape

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Find the call shape that arguments fit, and check and convert them.

        Args:
            args: Positional arguments.
            kwargs: Keyword arguments.

        Returns:
            The call, ready to be evaluated.

        Raises:
            OpbookError: They fit none; the message names this builtin and the argument.
        """
        errors: list[OpbookError] = []
        for shape in self.call_shapes:
            try:
                return shape.bind(args, kwargs)
            except OpbookError as error:
                errors.append(error)
        if len(errors) == 1:
            raise renamed(errors[0], self.name) from None
        reasons = "; ".join(f"{shape}: {error}" for shape, error in zip(self.call_shapes, errors, strict=True))
        raise ArgumentError(f"{self.name}: the arguments fit none of its call shapes. {reasons}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments and evaluate the op; see [`CallShape.bind`][opbook.builtin.CallShape.bind]."""
        return self.bind(args, kwargs).apply()

    def value_and_pullback(self, *args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """What [`vjp`][opbook.tape.vjp] calls, for arguments that are on no tape.

        Args:
            *args: Positional arguments.
            **kwargs: Keyword arguments, which are constants.

        Returns:
            `(value, pullback)`.
        """
        call = self.bind(args, kwargs)
        if call.shape.rule is None or not tree.same_structure(list(args), call.positional[: len(args)]):
            # no rule, or lists of numbers taken as arrays: the tape gives gradients built as the arguments are
            return vjp(lambda *a: self(*a, **kwargs), *args)
        value, pullback = call.run_rule()
        return value, lambda g: tuple(pullback(g)[: len(args)])

    def __repr__(self) -> str:
        return f"<builtin {' | '.join(map(str, self.call_shapes))}>"


def builtin(*, category: str, aliases: Iterable[str] = ()) -> Callable[[Callable[..., Any]], Builtin]:
    """Make a builtin of a function.

    Args:
        category: Where the index shows it, such as `"Statistics & ML"`.
        aliases: Other words that people search for it by, such as `"sdpa"`.

    Returns:
        A decorator. The function it decorates is the definition: its name, signature and annotations, its docstring
        (Google style) and the comment block above it are all that a builtin needs.

    Raises:
        DeclarationError: The function has no docstring, or an annotation that is not understood.
    """
    if callable(category):
        raise DeclarationError('write @builtin(category="..."): a builtin needs a category to stand in the index')
    words = tuple(aliases)
    return lambda definition: Builtin(definition, category=category, aliases=words)

"""Builtins: named ops with call shapes, a definition, a VJP rule and a note.

    @builtin(category="Normalization")
    def layer_norm(x: Array["... D"], gamma: Array["D"], beta: Array["D"], *, eps: float = 1e-5) -> Array["... D"]:
        ...

The decorated function is the *definition*: plain NumPy, the meaning of the op, evaluated in float64. The *rule* given
with `defvjp` is what runs where there is one: fast, in the caller's precision, and held to the definition.
"""

import inspect
import keyword
from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property
from typing import Any

from opbook.autodiff import tree
from opbook.autodiff.differentiate import vjp
from opbook.builtins import docstring as docstrings
from opbook.builtins.call import Call, with_floats
from opbook.builtins.first_use import prepare
from opbook.builtins.notebook import builtin_markdown
from opbook.builtins.property import Property
from opbook.builtins.rule import OWN, Rule, RuleFunction
from opbook.builtins.signature import CallShape
from opbook.errors import ArgumentError, DeclarationError, OpbookError, renamed

Sampler = Callable[[Any], Iterable[Any]]
"""Takes a [`Draw`][opbook.checks.samples.Draw] and yields inputs for the checks."""


NOTATION_WORDS = frozenset({"false", "inf", "nan", "then", "true"})
"""What the notation reads as something else, beside the words that Python keeps to itself too."""


class Builtin:
    """A named op. Make one with [`builtin`][opbook.builtins.builtin.builtin]; call it as a function.

    Attributes:
        name: What it is called, in Python and in the notation.
        category: Where the index shows it.
        aliases: Other words that people search for it by.
        samplers: What gives the checks inputs, by module; where there is none, they are derived from the annotations.
        call_shapes: Its call shapes; the first is the decorated function's.
        replaces: The plugin or distribution whose builtin of this name it takes the place of, or "".
        rules: Other plugins' rules for it, as the catalogue was told of them.
        properties: What plugins state of it, for the checks, as the catalogue was told.
        asked: The names of the rules that are asked when it is called, in that order; `own` is the last.
    """

    def __init__(
        self,
        definition: Callable[..., Any],
        *,
        category: str,
        aliases: tuple[str, ...] = (),
        replaces: str = "",
    ) -> None:
        self.name = definition.__name__
        self.samplers: dict[str, Sampler] = {}
        self.category = category
        self.aliases = aliases
        self.replaces = replaces
        self.call_shapes = [CallShape(self.name, definition)]
        self.rules: tuple[Rule, ...] = ()
        self.asked: tuple[str, ...] = (OWN,)
        self.properties: tuple[Property, ...] = ()
        self.__name__ = self.__qualname__ = self.name
        self.__doc__ = definition.__doc__
        self.__module__ = definition.__module__
        self.__wrapped__ = definition
        if self.name in NOTATION_WORDS:
            raise DeclarationError(f"{self.name!r} is no name for a builtin: it is a word of the notation")
        if not self.name.isidentifier() or keyword.iskeyword(self.name) or self.name.startswith("_"):
            raise DeclarationError(f"{self.name!r} is no name for a builtin: it must be a word that code can call")
        if not all(isinstance(alias, str) for alias in aliases):
            raise DeclarationError(f"{self.name}: aliases must be texts, but are {aliases!r}")
        if not isinstance(replaces, str):
            raise DeclarationError(f"{self.name}: replaces must be the name of a plugin, but is {replaces!r}")
        if not self.summary:
            raise DeclarationError(f'{self.name} needs a docstring: its first line becomes "What it is"')

    @property
    def definition(self) -> Callable[..., Any]:
        """The first call shape's definition: the decorated function itself."""
        return self.call_shapes[0].definition

    @property
    def rule(self) -> RuleFunction | None:
        """What runs for the first call shape, for another op's rule to build on; it checks nothing, and always answers.

        None if the builtin comes without a rule of its own.
        """
        prepare()
        return self.call_shapes[0].rule if self.own_rule is not None else None

    @property
    def own_rule(self) -> RuleFunction | None:
        """The rule that the first call shape was given with `defvjp`, or None."""
        return self.call_shapes[0].own_rule

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

    def defvjp(self, rule: RuleFunction) -> RuleFunction:
        """Give the first call shape its rule.

        Args:
            rule: Takes the definition's arguments and returns `(value, pullback)`.

        Returns:
            The rule itself.
        """
        return self.call_shapes[0].defvjp(rule)

    def samples(self, sampler: Sampler) -> Sampler:
        """Give the checks inputs that annotations can't tell: edges, numbers of a domain, known answers, refusals.

            @layer_norm.samples
            def _(draw):
                yield draw.normal(2, 3), draw.normal(3), draw.normal(3)

        It stands in the plugin's `samples.py`, which only the checks load, or in the same file as the builtin. Every
        module may give some, of other plugins' builtins too; the checks take all.

        Args:
            sampler: Takes a [`Draw`][opbook.checks.samples.Draw] and yields tuples of positional arguments, or what
                `draw.call(...)`, `draw.edge(...)`, `draw.known(...)` and `draw.refused(...)` make.

        Returns:
            The function itself.

        Raises:
            DeclarationError: It is no function, or its module gives samples in another function already.
        """
        if not inspect.isfunction(sampler):
            raise DeclarationError(f"{self.name}: samples come from a function of draw, not from {sampler!r}")
        code, module = sampler.__code__, sampler.__module__
        before = self.samplers[module].__code__ if module in self.samplers else code
        # the same line is a module that is imported once more, another file a notebook's cell that was changed
        if before.co_filename == code.co_filename and before.co_firstlineno != code.co_firstlineno:
            raise DeclarationError(
                f"{self.name}: {module} gives it samples in line {before.co_firstlineno} and in line "
                f"{code.co_firstlineno}; yield all of them from one function"
            )
        self.samplers[module] = sampler
        return sampler

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

    def use_rules(self, rules: Iterable[Rule], ask: Iterable[str] = ()) -> None:
        """Take other plugins' rules, and ask some of them before the own one.

        The catalogue of the process does so as it is loaded, and nobody else: see `with_rules`.

        Args:
            rules: All that there are.
            ask: The names of those to ask, in this order.
        """
        self.rules = tuple(rules)
        self.asked = (*(name for name in ask if name != OWN), OWN)
        chosen = [rule for name in self.asked for rule in self.rules if rule.name == name]
        for shape in self.call_shapes:
            shape.ask_first([rule.function for rule in chosen if not shape.misfit(rule.function)])

    def with_rules(self, rules: Iterable[Rule], ask: Iterable[str] = ()) -> "Builtin":
        """Make a builtin of the same name that has other rules beside its own.

        Args:
            rules: The rules.
            ask: The names of those to ask before the own one, in this order.

        Returns:
            A copy; this builtin stays as it is.

        Raises:
            DeclarationError: A rule is for another builtin, or fits none of the call shapes.
        """
        other = copy(self)
        other.call_shapes = [copy(shape) for shape in self.call_shapes]
        rules = tuple(rules)
        for rule in rules:
            if reason := self.misfit(rule):
                raise DeclarationError(f"{rule}: {reason}")
        other.use_rules(rules, ask)
        return other

    def misfit(self, rule: Rule) -> str:
        """Say why this builtin can't take a rule.

        Args:
            rule: The rule.

        Returns:
            The reason, or "" if the rule has the signature of one of the call shapes.
        """
        if rule.builtin != self.name:
            return f"it is a rule for {rule.builtin}, not for {self.name}"
        reasons = [shape.misfit(rule.function) for shape in self.call_shapes]
        return "" if "" in reasons else "; ".join(dict.fromkeys(reasons))

    def with_rule(self, name: str) -> "Builtin":
        """Make a builtin of the same name that is computed by one rule; where that has no answer, by the definition.

        Args:
            name: The name of one of `rules`, or `own`.

        Returns:
            A copy; this builtin stays as it is.

        Raises:
            DeclarationError: There is no rule of that name.
        """
        other = self.with_rules(self.rules)
        if name != OWN:
            if all(rule.name != name for rule in self.rules):
                raise DeclarationError(f"{self.name} has no rule {name}")
            for shape in other.call_shapes:
                shape.own_rule = None
        other.use_rules(self.rules, [name])
        return other

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
        prepare()
        errors: list[OpbookError] = []
        for shape in self.call_shapes:
            try:
                return Call(shape, *shape.bind(args, kwargs))
            except OpbookError as error:
                errors.append(error.with_traceback(None))  # whose frames would keep the arguments alive in a cycle
        taken = [shape.count_taken(args, kwargs) for shape in self.call_shapes]
        nearest = [i for i, count in enumerate(taken) if count == max(taken)]
        if len({str(errors[i]) for i in nearest}) == 1:
            raise renamed(errors[nearest[0]], self.name) from None
        reasons = "; ".join(f"{self.call_shapes[i]}: {errors[i]}" for i in nearest)
        raise ArgumentError(f"{self.name}: the arguments fit none of its call shapes. {reasons}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments and evaluate the op; see [`CallShape.bind`][opbook.builtins.signature.CallShape.bind]."""
        return self.bind(args, kwargs).apply()

    def value_and_pullback(self, *args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """What [`vjp`][opbook.autodiff.differentiate.vjp] calls, for arguments that are on no tape.

        Args:
            *args: Positional arguments.
            **kwargs: Keyword arguments, which are constants.

        Returns:
            `(value, pullback)`.
        """
        call = self.bind(args, kwargs)
        found = call.run_rule() if tree.same_structure(list(args), call.positional[: len(args)]) else None
        if found is None:
            # no rule, or lists of numbers taken as arrays: the tape gives gradients built as the arguments are
            params = call.shape.positional
            floats = [with_floats(x) if p.spec.differentiable else x for x, p in zip(args, params, strict=False)]
            return vjp(lambda *a: self(*a, **kwargs), *floats)
        value, pullback = found
        return value, lambda g: tuple(pullback(g)[: len(args)])

    def __repr__(self) -> str:
        return f"<builtin {' | '.join(map(str, self.call_shapes))}>"

    def _repr_markdown_(self) -> str:
        """Show it in a notebook."""
        return builtin_markdown(self.name, self.category, self.call_shapes, self.note)


def builtin(
    *misused: Any,
    category: str = "",
    aliases: Iterable[str] = (),
    replaces: str = "",
) -> Callable[[Callable[..., Any]], Builtin]:
    """Make a builtin of a function.

    Args:
        *misused: Nothing; it catches `@builtin` without its brackets.
        category: Where the index shows it, such as `"Normalization"`.
        aliases: Other words that people search for it by, such as `"sdpa"`.
        replaces: The plugin, or its distribution, whose builtin of the same name this one takes the place of in the
            catalogue. Without it, two of one name are an error, unless the user chooses.

    Returns:
        A decorator. The function it decorates is the definition: its name, signature and annotations, its docstring
        (Google style) and the comment block above it are all that a builtin needs.

    Raises:
        DeclarationError: The function has no docstring, or an annotation that is not understood.
    """
    if misused or not isinstance(category, str) or not category:
        raise DeclarationError('write @builtin(category="..."): a builtin needs a category to stand in the index')
    if isinstance(aliases, str):
        raise DeclarationError(f'aliases must be several texts: write aliases=("{aliases}",)')
    words = tuple(aliases)
    return lambda definition: Builtin(definition, category=category, aliases=words, replaces=replaces)

"""One call of a builtin: which precision it runs in, whether on a tape, and what its rule is held to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.derivatives import cast
from opbook.autodiff.differentiate import fit_cotangent, match_structure
from opbook.autodiff.tape import FLOATS, TapeValue, newest_tape, off_tape
from opbook.builtins.signature import CallShape, Param
from opbook.errors import InputError, OpbookError, RuleError, TapeError, renamed


class Call:
    """A call with checked arguments.

    Attributes:
        shape: The call shape.
        positional: One value for each positional parameter, defaults filled in.
        keywords: The keyword-only arguments that were given.
    """

    __slots__ = ("_dtypes", "dtype", "keywords", "positional", "shape")

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
        self._dtypes = {a.dtype for a in floats}
        if len(self._dtypes) < 2:
            return next(iter(self._dtypes), None)
        return np.result_type(*({a.dtype for a in floats if a.ndim} or self._dtypes))

    def _in(self, dtype: Any) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with their arrays in another precision."""
        if self._dtypes <= {dtype}:
            return self.positional, self.keywords

        def convert(leaf: Any) -> Any:
            if isinstance(leaf, np.ndarray | TapeValue) and leaf.dtype in FLOATS and leaf.dtype != dtype:
                return cast(leaf, dtype)
            return leaf

        return tree.map_leaves(convert, self.positional), tree.map_leaves(convert, self.keywords)

    def _out(self, value: Any) -> Any:
        """A result in the precision of the arguments, rounded once; a scalar as a NumPy scalar."""

        def convert(leaf: Any) -> Any:
            if isinstance(leaf, np.ndarray | np.floating | TapeValue) and leaf.dtype != self.dtype:
                leaf = cast(leaf, self.dtype) if leaf.dtype in FLOATS and self.dtype is not None else leaf
            return leaf[()] if isinstance(leaf, np.ndarray) and leaf.ndim == 0 else leaf

        return tree.map_leaves(convert, value)

    def _run(self, function: Callable[..., Any], positional: list[Any], keywords: dict[str, Any]) -> Any:
        """Run the definition or the rule; NumPy's complaint about an axis becomes one that names the builtin."""
        name = self.shape.name
        try:
            return function(*positional, **keywords)
        except OpbookError as error:
            raise error if str(error).startswith(f"{name}:") else renamed(error, name) from None
        except np.exceptions.AxisError as error:
            axes = "1 axis" if error.ndim == 1 else f"{error.ndim} axes"
            what = str(error) if error.ndim is None else f"axis {error.axis} is out of range; the array has {axes}"
            raise InputError(f"{name}: {what}") from None
        except (ValueError, OverflowError, MemoryError) as error:  # NumPy's, mostly: sizes beyond its limits
            if isinstance(error.__cause__, TapeError):  # said while NumPy tried to put a number into an array
                raise renamed(error.__cause__, name) from None
            raise InputError(f"{name}: {error or type(error).__name__}") from error

    def define(self) -> Any:
        """Evaluate the definition, in float64."""
        positional, keywords = self._in(np.dtype(np.float64))
        return self._out(self._run(self.shape.definition, positional, keywords))

    def apply(self) -> Any:
        """Evaluate the op: on the tape that its arguments are on, by the rule where there is one."""
        inputs = tree.leaves(self.positional)
        tape = newest_tape([*inputs, *tree.leaves(self.keywords)])
        if tape is None:
            found = self.run_rule()
            return self.define() if found is None else found[0]
        plain, positions, places = off_tape(inputs, tape)
        if self.shape.rule is None or newest_tape([*plain, *tree.leaves(self.keywords)]) is not None:
            # no rule, a differentiated keyword, or a gradient of a gradient: step by step, through the definition
            return self.define()
        found = Call(self.shape, tree.rebuild(self.positional, plain), self.keywords).run_rule()
        if found is None:
            return self.define()
        value, pullback = found

        def pull(g: Any) -> list[Any]:
            gradients = tree.leaves(pullback(g))
            return [gradients[i] for i in positions]

        if not isinstance(value, np.ndarray | np.generic):
            raise RuleError(f"{self.shape.name}: a rule's value must be one array to be differentiated on a tape")
        return tape.record(value, places, pull, self.shape)

    def run_rule(self) -> tuple[Any, Callable[[Any], list[Any]]] | None:
        """Run the rule.

        Returns:
            The value, and a pullback with one gradient for each positional parameter, checked, and in the shapes and
            dtypes of the arguments. None if there is no rule, or none that takes this call.
        """
        if self.shape.rule is None:
            return None
        dtype = np.dtype(np.float32) if self.dtype == np.float16 else self.dtype
        positional, keywords = self._in(dtype) if dtype is not None else (self.positional, self.keywords)
        result = self._run(self.shape.rule, positional, keywords)
        if result is NotImplemented and self.shape.own_rule is None:
            return None
        if not (isinstance(result, tuple) and len(result) == 2 and callable(result[1])):
            raise RuleError(
                f"{self.shape.name}: the rule must return (value, pullback), but returned {_kind_of(result)}"
            )
        value, pullback = result
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
            count = len(gradients) if isinstance(gradients, tuple) else None
            got = _kind_of(gradients) if count is None else f"{count} gradient{'s' if count != 1 else ''}"
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
        free = not param.spec.differentiable or (gradient is None and param.spec.may_be_constant)
        if free:
            return tree.rebuild(template, [np.zeros(t.shape, t.dtype)[()] if t else None for t in expected])
        if not tree.same_structure(template, gradient):
            built, got = (", ".join(tree.paths(t, param.name)) for t in (template, gradient))
            raise RuleError(f"{self.shape.name}: {what} must be built as the argument is ({built}), but has {got}")
        found: list[Any] = []
        for i, (g, t) in enumerate(zip(tree.leaves_like(template, gradient), expected, strict=True)):
            if t is None:
                found.append(None)
                continue
            if isinstance(g, np.ndarray) and g.shape == t.shape and g.dtype == t.dtype:
                found.append(g[()] if g.ndim == 0 else g)
                continue
            if g is None or np.shape(g) != t.shape:
                got = "is None" if g is None else f"has shape {np.shape(g)}"
                name = tree.paths(template, param.name)[i]
                raise RuleError(f"{self.shape.name}: {what}, at {name}, must have shape {t.shape}, but {got}")
            if np.asarray(g).dtype.kind not in "fiub":
                raise RuleError(f"{self.shape.name}: {what} must be real, but has dtype {np.asarray(g).dtype}")
            with np.errstate(over="ignore"):
                found.append(np.asarray(g, t.dtype)[()])
        return tree.rebuild(template, found)


def _kind_of(result: Any) -> str:
    kind = f"tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
    return f"an {kind}" if kind.startswith(("a", "e", "i", "o", "ndarray")) else f"a {kind}"


@dataclass(slots=True)  # not frozen, which makes it three times as slow to make one, and each call makes many
class _Like:
    shape: tuple[int, ...]
    dtype: Any


def _template(leaf: Any) -> _Like | None:
    """What a gradient of this argument looks like; numbers and masks get zeros in float64."""
    if isinstance(leaf, np.ndarray):
        return _Like(leaf.shape, leaf.dtype if leaf.dtype in FLOATS else np.dtype(np.float64))
    return _Like((), np.dtype(np.float64)) if isinstance(leaf, int | float | np.generic) else None

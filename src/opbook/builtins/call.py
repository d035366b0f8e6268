"""One call of a builtin: which precision it runs in, whether on a tape, and whose arrays it works on."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.backward import is_finite
from opbook.autodiff.derivatives import cast
from opbook.autodiff.differentiate import vjp
from opbook.autodiff.tape import FLOATS, ON_TAPE, TapeValue, newest_tape, off_tape
from opbook.builtins.contract import checked_pullback, kind_of, owner
from opbook.builtins.signature import CallShape
from opbook.builtins.specs import SequenceSpec
from opbook.builtins.specs.spec import is_plain_array, is_too_wide, too_wide
from opbook.errors import InputError, OpbookError, RuleError, TapeError, renamed

FLOAT16, FLOAT32, FLOAT64 = FLOATS

Arguments = tuple[list[Any], dict[str, Any]]


class Call:
    """A call with checked arguments.

    Attributes:
        shape: The call shape.
        positional: One value for each positional parameter, defaults filled in.
        keywords: The keyword-only arguments that were given.
        floats: The arrays of floats and the values on tapes among the arguments.
        dtype: The dtype that these promote to, or None if there are none. Numbers beside arrays do not count, as in
            NumPy.
    """

    __slots__ = ("_dtypes", "dtype", "floats", "keywords", "positional", "shape")

    def __init__(self, shape: CallShape, positional: list[Any], keywords: dict[str, Any], floats: list[Any]) -> None:
        self.shape = shape
        self.positional = positional
        self.keywords = keywords
        self.floats = floats
        self._dtypes = {array.dtype for array in floats}
        self.dtype: Any = None
        if len(self._dtypes) == 1:
            (self.dtype,) = self._dtypes
        elif self._dtypes:
            self.dtype = np.result_type(*({array.dtype for array in floats if array.ndim} or self._dtypes))

    def apply(self) -> Any:
        """Evaluate the op: on the tape that its arguments are on, by the rule where there is one."""
        if not ON_TAPE.isdisjoint(map(type, self.floats)):
            return self._record()
        answer = self._ask(self._in(self._precision))
        return self.define() if answer is None else self._apart(self._rounded(answer[0]))

    def define(self) -> Any:
        """Evaluate the definition, in float64."""
        return self._apart(self._rounded(self._named(self._run(self.shape.definition, self._in(FLOAT64)))))

    def run_rule(self) -> tuple[Any, Callable[[Any], list[Any]]] | None:
        """Run the rule on copies of the arguments, and copy the value: the rule may keep them for its pullback.

        Returns:
            The value, and a pullback with one gradient for each positional parameter, checked, and in the shapes and
            dtypes of the arguments. None if there is no rule, or none that takes this call.
        """
        if self.shape.rule is None:
            return None
        arguments = tree.map(_copied, self._in(self._precision))
        answer = self._ask(arguments)
        if answer is None:
            return None
        result = tree.map(_copied, self._rounded(answer[0]))
        return result, self._with_strong_zeros(checked_pullback(self.shape, self.positional, *answer), arguments)

    def _record(self) -> Any:
        """Evaluate the op on the tape of its arguments, as one step if a rule takes it."""
        inputs, options = tree.leaves(self.positional), tree.leaves(self.keywords)
        tape = newest_tape(self.floats)
        assert tape is not None
        plain, positions, places = off_tape(inputs, tape)
        floats, _, _ = off_tape(self.floats, tape)
        if self.shape.rule is None or newest_tape([*floats, *options]) is not None:
            # no rule, a differentiated keyword, or a gradient of a gradient: step by step, through the definition
            return self.define()
        # what is on the tape is the tape's own; the rest is the caller's, who may change it before the pullback runs
        kept = [np.asarray(leaf, order="C") if i in positions else _copied(leaf) for i, leaf in enumerate(plain)]
        keywords = tree.map(_copied, self.keywords)
        call = Call(self.shape, tree.unflatten(self.positional, kept), keywords, floats)
        answer = call._ask(call._in(call._precision))
        if answer is None:
            return self.define()
        value = call._rounded(answer[0])
        pullback = checked_pullback(self.shape, call.positional, *answer)
        pullback = call._with_strong_zeros(pullback, (call.positional, keywords))

        def pull(g: Any) -> list[Any]:
            gradients = tree.leaves(pullback(g))
            return [gradients[i] for i in positions]

        return tape.record(value, places, pull, self.shape)

    def _with_strong_zeros(self, pullback: Callable[[Any], list[Any]], arguments: Arguments) -> Callable[[Any], Any]:
        """A pullback in which a cotangent of 0 counts for nothing, whatever the rule multiplies it with."""

        def pulled(cotangent: Any) -> list[Any]:
            gradients = pullback(cotangent)
            if all(map(is_finite, tree.leaves(gradients))):
                return gradients
            parts = tree.leaves(cotangent)
            if not any(map(np.any, parts)):
                return [tree.map(lambda g: g if g is None else np.zeros_like(g)[()], g) for g in gradients]
            if all(map(np.all, parts)):
                return gradients
            return self._gradients_of_definition(cotangent, gradients, arguments)

        return pulled

    def _gradients_of_definition(self, cotangent: Any, gradients: list[Any], arguments: Arguments) -> list[Any]:
        """What the tape makes of the definition, in place of the gradients of arrays and numbers."""
        leaves, found = tree.leaves(arguments[0]), tree.leaves(gradients)
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, float) or _is_float_array(leaf)]

        def defined(*chosen: Any) -> Any:
            given = dict(enumerate(leaves)) | dict(zip(places, chosen, strict=True))
            positional = tree.unflatten(arguments[0], given.values())
            floats = [leaf for leaf in (*given.values(), *tree.leaves(arguments[1])) if _is_float_array(leaf)]
            return Call(self.shape, positional, arguments[1], floats).define()

        _, pullback = vjp(defined, *(leaves[i] for i in places))
        for i, gradient in zip(places, pullback(cotangent), strict=True):
            if found[i] is not None:
                found[i] = cast(gradient, found[i].dtype)
        return tree.unflatten(gradients, found)  # type: ignore[no-any-return]

    @property
    def _precision(self) -> Any:
        """The precision that rules work in."""
        return FLOAT32 if self.dtype == FLOAT16 else self.dtype

    def _in(self, dtype: Any) -> Arguments:
        """The arguments with their arrays in a precision."""
        if self._dtypes <= {dtype}:
            return self.positional, self.keywords

        def convert(leaf: Any) -> Any:
            if isinstance(leaf, np.ndarray | TapeValue) and leaf.dtype in FLOATS and leaf.dtype != dtype:
                return cast(leaf, dtype)
            return leaf

        return tree.map(convert, self.positional), tree.map(convert, self.keywords)

    def _ask(self, arguments: Arguments) -> tuple[Any, Callable[[Any], Any]] | None:
        """What the rule answers: value and pullback, as they are; None if there is no rule that takes the call."""
        if self.shape.rule is None:
            return None
        try:
            answer = self._run(self.shape.rule, arguments)
        except TapeError:
            if any(map(callable, tree.leaves(arguments))):  # one that has to do with values on a tape, as below
                return None
            raise
        if isinstance(answer, tuple) and len(answer) == 2 and callable(answer[1]):
            value = answer[0]
            if type(value) is not np.ndarray and newest_tape(tree.leaves(value)) is not None:
                return None  # a function among the arguments has values on a tape in it, of which a rule knows nothing
            return self._named(value), answer[1]
        if answer is NotImplemented and self.shape.own_rule is None:
            return None
        raise RuleError(f"{self.shape.name}: the rule must return (value, pullback), but returned {kind_of(answer)}")

    def _run(self, function: Callable[..., Any], arguments: Arguments) -> Any:
        """Run the definition or the rule; NumPy's complaint about an axis becomes one that names the builtin."""
        name = self.shape.name
        try:
            return function(*arguments[0], **arguments[1])
        except OpbookError as error:
            raise error if str(error).startswith(f"{name}:") else renamed(error, name) from None
        except np.exceptions.AxisError as error:
            axes = "1 axis" if error.ndim == 1 else f"{error.ndim} axes"
            what = str(error) if error.ndim is None else f"axis {error.axis} is out of range; the array has {axes}"
            raise InputError(f"{name}: {what}") from None
        except OverflowError as error:
            raise InputError(f"{name}: {self._beyond(arguments) or error}") from error
        except (ValueError, MemoryError) as error:  # NumPy's, mostly: sizes beyond its limits
            if isinstance(error.__cause__, TapeError):  # said while NumPy tried to put a number into an array
                raise renamed(error.__cause__, name) from None
            raise InputError(f"{name}: {error or type(error).__name__}") from error

    def _beyond(self, arguments: Arguments) -> str:
        """Say which argument is a whole number that no array can hold; "" if none is."""
        given = {**dict(zip([p.name for p in self.shape.positional], arguments[0], strict=True)), **arguments[1]}
        beyond = [f"{name} {too_wide(value)}" for name, value in given.items() if is_too_wide(value)]
        return "; ".join(beyond)

    def _rounded(self, value: Any) -> Any:
        """A result in the precision of the arguments, rounded once; a scalar as a NumPy scalar."""
        if type(value) is np.ndarray and value.ndim and value.dtype in FLOATS and self.dtype is not None:
            return value if value.dtype == self.dtype else cast(value, self.dtype)

        def convert(leaf: Any) -> Any:
            is_float = isinstance(leaf, np.ndarray | np.floating) and leaf.dtype in FLOATS
            if is_float and self.dtype is not None and leaf.dtype != self.dtype:
                leaf = cast(leaf, self.dtype)
            return leaf[()] if is_plain_array(leaf) and leaf.ndim == 0 else leaf

        return tree.map(convert, value)

    def _named(self, result: Any) -> Any:
        """A result of several things as the NamedTuple that its annotation says."""
        returns = self.shape.returns
        if not isinstance(returns, SequenceSpec) or not isinstance(result, tuple) or len(result) != len(returns.names):
            return result
        return returns.made_as(*result) if returns.names else result

    def _apart(self, value: Any) -> Any:
        """A result that shares no memory with the arguments."""
        is_own = type(value) is np.ndarray and value.base is None and value.dtype.kind == "f"
        if is_own and not any(value is given for given in self.floats):
            return value
        given = {id(owner(leaf)) for leaf in tree.leaves([self.positional, self.keywords]) if is_plain_array(leaf)}

        def convert(leaf: Any) -> Any:
            return leaf.copy() if is_plain_array(leaf) and id(owner(leaf)) in given else leaf

        return tree.map(convert, value)


def _copied(leaf: Any) -> Any:
    return leaf.copy() if is_plain_array(leaf) else leaf


def _is_float_array(leaf: Any) -> bool:
    return isinstance(leaf, TapeValue) or (is_plain_array(leaf) and leaf.dtype in FLOATS)


def with_floats(argument: Any) -> Any:
    """An argument that an op computes with in floats, also if it came in integers, which a tape would leave alone."""

    def convert(leaf: Any) -> Any:
        return leaf.astype(np.float64) if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "iub" else leaf

    return tree.map(convert, argument)

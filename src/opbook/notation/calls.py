"""Calls of builtins: what goes in is bounded, and what goes wrong is told in one way."""

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.builtins.specs import ArraySpec
from opbook.errors import NotationError, OpbookError
from opbook.notation.guard import OutOfTime
from opbook.notation.limits import Budget
from opbook.notation.source import Mistake
from opbook.notation.values import is_array

ARGUMENTS = 4
"""How many times the numbers of the largest array one call may take: an array, say, and weights to multiply it by."""

_INTEGER = re.compile(r"(?!.*\bfloat\b).*\bint\b")  # in the text of an annotation: int, <class 'int'>, int | None


def call_builtin(
    function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any], at: int, budget: Budget
) -> Any:
    """Call a Python function from the notation.

    Raises:
        Mistake: It refused its arguments, failed, or would make something enormous.
        NotationError: A user function that it called made a mistake.
    """
    name = getattr(function, "__name__", "the function")
    _check_sizes(function, arguments, keywords, at, budget)
    _count_arguments((*arguments, *keywords.values()), at, budget)
    try:
        if isinstance(function, Builtin):
            call = function.bind(tuple(arguments), dict(keywords))
            for shape in call.shape.shapes_made(call.positional):
                budget.fits(tuple(n for n in shape if n is not None), at)
            result = call.apply()
        else:
            result = function(*arguments, **keywords)
    except (NotationError, Mistake):
        raise  # a user function that the builtin called: its message shows the place inside it
    except (OutOfTime, BrokenPipeError):
        raise  # no fault of the builtin
    except OpbookError as error:
        raise Mistake(at, str(error)) from error
    except RecursionError as error:
        raise Mistake(at, f"{name}: the calls are nested too deeply") from error
    except MemoryError as error:
        raise Mistake(at, f"{name}: there is not enough memory for this") from error
    except Exception as error:
        raise Mistake(at, f"{name} failed: {type(error).__name__}: {error}") from error
    for array in _arrays(result):
        budget.array(array.shape, at)
    return result


def _count_arguments(values: Sequence[Any], at: int, budget: Budget) -> None:
    """Texts may be printed over and over; and what many large arrays are joined to is as large as all of them."""
    budget.write(sum(len(value) for value in values if isinstance(value, str)), at)
    size = sum(array.size for array in _arrays(values))
    if size > budget.limits.elements * ARGUMENTS:
        limit = budget.limits.elements * ARGUMENTS
        raise Mistake(at, f"the arguments of this call have {size:,} numbers; the limit is {limit:,}")


def _arrays(value: Any, depth: int = 0) -> Iterator[Any]:
    if is_array(value):
        yield value
    elif isinstance(value, tuple | list | Mapping) and depth < 10:
        for entry in value.values() if isinstance(value, Mapping) else value:
            yield from _arrays(entry, depth + 1)


def _check_sizes(
    function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any], at: int, budget: Budget
) -> None:
    """Refuse `zeros(1000000, 1000000)` before it is computed."""
    definitions = [shape.definition for shape in function.call_shapes] if isinstance(function, Builtin) else [function]
    for definition in definitions:
        try:
            signature = inspect.signature(definition)
            given = signature.bind(*arguments, **keywords).arguments
        except (TypeError, ValueError):
            continue  # another call shape; if none fits, the call itself will say so
        shape = _shape_made(signature, given)
        if shape is not None and math.prod(shape) > budget.limits.elements:
            budget.array(shape, at)


def _shape_made(signature: inspect.Signature, given: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Tell the shape of an array that is made of integers alone, as by `zeros(rows: int, columns: int)`.

    A square one, as of `eye(n: int) -> Array["N N"]`, takes its last size twice. None where the arguments are not all
    declared as integers (texts and truths aside), or do not say how large the result is.
    """
    sizes: list[int] = []
    for name, value in given.items():
        entries = value if isinstance(value, tuple) else (value,)
        entries = tuple(entry for entry in entries if not isinstance(entry, str | bool))
        declared = _INTEGER.match(str(signature.parameters[name].annotation))
        if entries and not (declared and all(_is_integer(entry) for entry in entries)):
            return None
        sizes += [max(int(entry), 1) for entry in entries]
    if not sizes:
        return None
    specs = [spec for spec in getattr(signature.return_annotation, "__metadata__", ()) if isinstance(spec, ArraySpec)]
    if specs and not specs[0].batched:
        rank = len(specs[0].dims)
        return (*sizes, *sizes[-1:] * (rank - len(sizes))) if rank >= len(sizes) else None
    return tuple(sizes)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and value == int(value)

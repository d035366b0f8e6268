"""Holds a function of somebody else's to a builtin: the same inputs, and the definition's values and gradients."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.checks.comparison.behaviour import only_moves
from opbook.checks.comparison.case import Case
from opbook.checks.comparison.kernel import Kernel, given_by_name
from opbook.checks.comparison.libraries import LIBRARIES, Library, library_of
from opbook.checks.comparison.report import Comparison
from opbook.checks.comparison.session import Session
from opbook.checks.inputs import samples_of
from opbook.checks.refusals import refusal
from opbook.checks.samples import FLOAT_NAMES, Sample
from opbook.errors import ArgumentError, InputError, nearest

__all__ = ["Case", "Comparison", "compare"]


def compare(
    function: Callable[..., Any],
    builtin: Builtin | str,
    *,
    gradient: Callable[..., Any] | None = None,
    dtypes: Iterable[str] | None = None,
    tolerance: float | None = None,
    no_worse_than: str | None = None,
    arrays: str | None = None,
    only: str = "",
    options: Mapping[str, Any] | None = None,
    strict: bool = False,
) -> Comparison:
    """Run a function on the inputs that a builtin is verified with, and compare.

    Args:
        function: Takes the builtin's arguments. It may take arrays of NumPy, PyTorch or JAX, and return anything that
            speaks DLPack or `__array__`. Of several results the first is compared.
        builtin: The builtin, or its name.
        gradient: Takes a cotangent and then the arguments, and returns one gradient for each array argument; without
            it only values are compared.
        dtypes: The precisions to try: all unless given. Errors in float16 make a function wrong only if float16 is
            given here.
        tolerance: The relative error that is allowed; by default one for each dtype, and more where the definition
            itself is further off in that precision.
        no_worse_than: A dtype; the error allowed is then twice that of the definition computed in it.
        arrays: `"numpy"`, `"torch"` or `"jax"`; by default found out from annotations, code and imports.
        only: Compare on inputs whose name has this text in it.
        options: Values of options, by the builtin's names: compare with these only.
        strict: Whether edges count, where libraries differ on purpose.

    Returns:
        The result for every input, and the verdict.

    Raises:
        ArgumentError: `function` is not callable, or `arrays` or `no_worse_than` is something else.
        InputError: No input has the name or the options.
        UnknownBuiltinError: There is no such builtin.
    """
    if not callable(function):
        raise ArgumentError(f"compare needs a function, but got a {type(function).__name__}")
    if arrays not in (None, *LIBRARIES):
        raise ArgumentError(f"arrays must be {', '.join(LIBRARIES)}, but is {arrays!r}")
    if no_worse_than not in (None, *FLOAT_NAMES):
        raise ArgumentError(f"no_worse_than must be {', '.join(FLOAT_NAMES)}, but is {no_worse_than!r}")
    op = _builtin(builtin)
    samples = _chosen(op, only, dict(options or {}))
    library = library_of(function) if arrays is None else Library(arrays, "you say so")
    session = Session(
        op=op,
        kernel=Kernel(function, library),
        gradient=None if gradient is None else Kernel(gradient, library),
        dtypes=tuple(dtypes or FLOAT_NAMES),
        asks_for_half=dtypes is not None and "float16" in tuple(dtypes),
        tolerance=tolerance,
        no_worse_than=no_worse_than,
        may_view=only_moves(op, samples),
    )
    found = session.compared(samples)
    found.strict = strict
    return found


def _builtin(builtin: Builtin | str) -> Builtin:
    from opbook.plugins.catalogue import catalogue

    loaded = catalogue()
    loaded.load_samples()
    return loaded[builtin] if isinstance(builtin, str) else builtin


def _chosen(op: Builtin, only: str, options: dict[str, Any]) -> list[Sample]:
    """The inputs that are meant."""
    found = []
    names: dict[str, None] = {}
    for sample in samples_of(op):
        shape = op.bind(sample.args, sample.kwargs).shape
        names |= dict.fromkeys(param.name for param in shape.params)
        given = given_by_name(shape, sample)
        if any(
            name in given and given[name] is not value and repr(given[name]) != repr(value)
            for name, value in options.items()
        ):
            continue
        missing = {name: value for name, value in options.items() if name not in given}
        chosen = replace(sample, kwargs={**sample.kwargs, **missing})
        if only.lower() in sample.label.lower() and not (missing and refusal(op, chosen.args, chosen.kwargs)):
            found.append(chosen)
    for name in options:
        if name not in names:
            raise InputError(f"{op.name} has no argument {name}; it has {', '.join(names)}.{nearest(name, names)}")
    if not found:
        wanted = [f"with {only!r} in its name"] if only else []
        wanted += [f"with {name}={value!r}" for name, value in options.items()]
        labels = ", ".join(dict.fromkeys(sample.label for sample in samples_of(op)))
        raise InputError(f"{op.name} has no input {' and '.join(wanted)}. Its inputs are: {labels}")
    return found

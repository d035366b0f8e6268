"""Holds someone else's function to a builtin: same values, same gradients, same edges."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.checks.inputs import samples_of
from opbook.checks.literals import python_call
from opbook.checks.samples import FLOAT_NAMES, Sample
from opbook.checks.subject import Subject, cotangent_of, is_differentiable
from opbook.checks.tolerance import TOLERANCE, relative_error
from opbook.errors import ArgumentError


@dataclass(frozen=True)
class Comparison:
    """What one case said of a foreign function.

    Attributes:
        case: The input in words, such as `"mask with an empty row, float32"`.
        what: `"value"` or `"gradient"`.
        status: `"passed"`, `"failed"`, or `"refused"` where the function raised.
        error: The relative error, or None where nothing could be compared.
        tolerance: The error that is allowed.
        message: What is wrong.
        paste: The call, to paste into a test.
        seconds: How long it took.
    """

    case: str
    what: str
    status: str
    error: float | None
    tolerance: float
    message: str
    paste: str
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values, for JSON."""
        return dict(vars(self))


def compare(
    function: Callable[..., Any],
    builtin: Builtin | str,
    *,
    gradient: Callable[..., Any] | None = None,
    dtypes: tuple[str, ...] = FLOAT_NAMES,
    tolerance: float | None = None,
) -> list[Comparison]:
    """Run a function on the inputs that a builtin is verified with, and compare.

    Args:
        function: Takes the builtin's arguments. It may be a NumPy function, or return anything that speaks DLPack or
            `__array__`; a function that asks for PyTorch tensors gets them.
        builtin: The builtin, or its name.
        gradient: Takes a cotangent and then the arguments, and returns one gradient for each array argument; without
            it only values are compared.
        dtypes: The precisions to try.
        tolerance: The relative error that is allowed; by default one for each dtype.

    Returns:
        One comparison for each input, precision, and value or gradient.

    Raises:
        ArgumentError: `function` is not callable.
        UnknownBuiltinError: There is no such builtin.
    """
    if not callable(function):
        raise ArgumentError(f"compare needs a function, but got a {type(function).__name__}")
    op = _builtin(builtin)
    subject = Subject(op, samples_of(op))
    name = getattr(function, "__name__", "f")
    compared = []
    for sample in subject.samples:
        differentiable = gradient is not None and is_differentiable(subject, sample)
        for dtype, rounded in sample.in_every_precision(dtypes):
            allowed = TOLERANCE[dtype] if tolerance is None else tolerance
            exact = rounded.in_precision("float64")
            value = op.bind(exact.args, exact.kwargs).define()
            case = _Case(f"{sample.label}, {dtype}", allowed, python_call(name, rounded.args, rounded.kwargs), dtype)
            compared.append(_compared(case, "value", partial(_call, function, rounded), value))
            if differentiable and gradient is not None:
                g = Sample("", (cotangent_of(value),)).in_precision(dtype).args[0]
                _, pullback = op.value_and_pullback(*exact.args, **exact.kwargs)
                expected = _of_arrays(rounded, pullback(tree.map_leaves(lambda leaf: np.asarray(leaf, np.float64), g)))
                theirs = partial(_call, gradient, replace(rounded, args=(g, *rounded.args)))
                compared.append(_compared(case, "gradient", theirs, expected))
    return compared


def _builtin(builtin: Builtin | str) -> Builtin:
    from opbook.plugins.catalogue import catalogue

    loaded = catalogue()
    loaded.load_samples()
    return loaded[builtin] if isinstance(builtin, str) else builtin


def _of_arrays(sample: Sample, gradients: tuple[Any, ...]) -> Any:
    """The gradients of the arguments that have floating-point arrays in them."""
    chosen = [
        gradient
        for argument, gradient in zip(sample.args, gradients, strict=True)
        if any(isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" for leaf in tree.leaves(argument))
    ]
    return tuple(chosen)


@dataclass(frozen=True)
class _Case:
    name: str
    tolerance: float
    paste: str
    dtype: str


def _compared(case: _Case, what: str, run: Callable[[], Any], expected: Any) -> Comparison:
    tolerance = case.tolerance if what == "value" else 3 * case.tolerance  # a gradient is a longer computation
    start = time.perf_counter()

    def said(status: str, message: str = "", error: float | None = None) -> Comparison:
        seconds = time.perf_counter() - start
        return Comparison(case.name, what, status, error, tolerance, message, case.paste, seconds)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = run()
    except _Wrote as fault:
        return said("failed", str(fault))
    except (Exception, SystemExit) as error:  # foreign code may raise anything
        return said("refused", f"{type(error).__name__}: {error}")
    got = (got,) if what == "gradient" and not isinstance(got, tuple | list) else got
    mine, theirs = tree.leaves(got), tree.leaves(expected)
    if len(mine) != len(theirs):
        return said("failed", f"expected {len(theirs)} arrays, got {len(mine)}")
    kinds = [_wrong_kind(a, b, case.dtype if what == "value" else "") for a, b in zip(mine, theirs, strict=True)]
    if any(kinds):
        return said("failed", next(filter(None, kinds)))
    distance = relative_error(mine, theirs)
    if distance <= tolerance:
        return said("passed", error=distance)
    return said("failed", _difference(mine, theirs, distance), distance)


def _wrong_kind(got: Any, expected: Any, dtype: str) -> str:
    """What is wrong with a result before its numbers are looked at, or nothing."""
    if not isinstance(expected, np.ndarray | np.generic):
        return ""
    kind = getattr(got, "dtype", np.asarray(got).dtype)
    if kind.kind not in "fiub":
        return f"expected real numbers, got dtype {kind}"
    if dtype and expected.dtype.kind == "f" and hasattr(got, "dtype") and kind != dtype:
        return f"{dtype} went in, but {kind} came out"
    return ""


class _Wrote(Exception):
    """The function wrote into an argument."""


def _difference(got: list[Any], expected: list[Any], error: float) -> str:
    """Say what differs first: a shape, or the worst entry with both numbers."""
    for mine, theirs in zip(got, expected, strict=True):
        if theirs is None or isinstance(theirs, str) or callable(theirs):
            return f"expected {theirs!r}, got {mine!r}"
        a, b = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
        if a.shape != b.shape:
            return f"expected shape {b.shape}, got {a.shape}"
        with np.errstate(invalid="ignore"):
            alike = (a == b) | (np.isnan(a) & np.isnan(b))
            gap = np.where(alike, 0, np.nan_to_num(np.abs(a - b), nan=np.inf))
        if gap.size and gap.max() > 0:
            index = np.unravel_index(np.argmax(gap), gap.shape)
            at = f" at {list(map(int, index))}" if index else ""
            return f"expected {b[index]:.8g}, got {a[index]:.8g}{at} (relative error {error:.1e})"
    return f"relative error {error:.1e}"


def _call(function: Callable[..., Any], sample: Sample) -> Any:
    """Call a foreign function on fresh arrays; once more on PyTorch tensors if it asks for those."""
    args, kwargs = (tree.map_leaves(_fresh, part) for part in (sample.args, sample.kwargs))
    try:
        result = function(*args, **kwargs)
        for name, mine, before in zip(tree.paths(args), tree.leaves(args), tree.leaves(sample.args), strict=True):
            if isinstance(mine, np.ndarray) and mine.tobytes() != before.tobytes():
                raise _Wrote(f"it writes into its argument {name}")
    except (TypeError, AttributeError) as error:
        if "Tensor" not in str(error) and "torch" not in str(error):
            raise
        import torch  # type: ignore[import-not-found,unused-ignore]

        tensors = lambda leaf: torch.from_numpy(np.array(leaf)) if isinstance(leaf, np.ndarray) else leaf  # noqa: E731
        result = function(*tree.map_leaves(tensors, args), **tree.map_leaves(tensors, kwargs))
    return tree.map_leaves(_as_numpy, result)


def _fresh(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _as_numpy(leaf: Any) -> Any:
    """Take an array of any library as NumPy's."""
    if isinstance(leaf, np.ndarray | np.generic | int | float | bool):
        return leaf
    if hasattr(leaf, "detach"):  # a PyTorch tensor that requires a gradient refuses both protocols
        leaf = leaf.detach()
    return np.from_dlpack(leaf) if hasattr(leaf, "__dlpack__") else np.asarray(leaf)

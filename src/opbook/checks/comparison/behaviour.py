"""Cheats and slips that a comparison of numbers can't see, each by its name."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.checks.comparison.case import judge
from opbook.checks.comparison.kernel import Arguments, Kernel
from opbook.checks.comparison.libraries import Library, as_numpy
from opbook.checks.refusals import refusal
from opbook.checks.samples import Sample

LEFTOVERS = 8
"""How many freed pieces of memory of each precision hold rubbish when a function is called."""

RUBBISH = 6.02214076e23
"""A number that no result has by chance."""


@dataclass(frozen=True)
class Trial:
    """A function, and an input on which it gave what was expected.

    Attributes:
        op: The builtin that it is compared with.
        kernel: The function.
        sample: The input.
        tolerance: The relative error that is allowed.
    """

    op: Builtin
    kernel: Kernel
    sample: Sample
    tolerance: float

    def arguments(self, sample: Sample) -> Arguments:
        """What the function is called with on an input like the trial's."""
        return self.kernel.arguments(self.op.bind(sample.args, sample.kwargs).shape, sample)

    def expected(self, sample: Sample) -> Any:
        """What the definition gives."""
        exact = sample.in_precision("float64")
        with np.errstate(all="ignore"):  # a NaN may well be invalid to NumPy
            return self.op.bind(exact.args, exact.kwargs).define()

    def fault(self, got: Any, sample: Sample) -> str:
        """Hold a value to the definition's.

        Returns:
            What is wrong with it, or "".
        """
        return judge(of_interest(got, self.expected(sample)), self.expected(sample), self.tolerance)[2]

    def other(self) -> Sample | None:
        """An input of the same shapes with other numbers; None if the builtin refuses it."""
        changed = self.sample.with_arrays(lambda a: (0.75 * a.ravel()[::-1].reshape(a.shape) + 0.1).astype(a.dtype))
        return None if refusal(self.op, changed.args, changed.kwargs) else changed


def of_interest(got: Any, expected: Any) -> Any:
    """What is compared of what a function returned.

    Returns:
        The first of several results where one array is expected; behind it may stand weights or a cache.
    """
    while isinstance(expected, np.ndarray | np.generic) and isinstance(got, tuple | list) and got:
        got = got[0]
    return got


def faults(trial: Trial) -> Iterator[tuple[str, str]]:
    """Try a function for what it must not do.

    Yields:
        The name of each trial, with what is wrong or "".
    """
    for name, probe in PROBES.items():
        with suppress(_SaysNothing):
            yield name, probe(trial)


class _SaysNothing(Exception):
    """The trial can't be made on this input."""


def _called_again(trial: Trial) -> str:
    """Answers kept by shape: the second call has other numbers of the same shapes."""
    other = _other(trial)
    kept = trial.kernel.call(trial.arguments(trial.sample)).value
    before = tree.map(lambda leaf: np.array(leaf) if isinstance(leaf, np.ndarray) else leaf, kept)
    fault = trial.fault(trial.kernel.call(trial.arguments(other)).value, other)
    if fault:
        return f"called again with other numbers of the same shapes, it is wrong: {fault}"
    same = zip(tree.leaves(before), tree.leaves(kept), strict=True)
    if any(isinstance(a, np.ndarray) and not np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in same):
        return "a second call changes what the first one returned: both share a buffer"
    return ""


def _same_memory(trial: Trial) -> str:
    """Answers kept by pointer: the second call has other numbers in the same arrays."""
    other = _other(trial)
    if trial.kernel.library.name == "jax":
        raise _SaysNothing  # whose arrays can't be written to
    given = trial.arguments(trial.sample).mapped(_made(trial))
    trial.kernel.run(given)
    for (_, array), (_, numbers) in zip(given.leaves(), trial.arguments(other).leaves(), strict=True):
        if isinstance(numbers, np.ndarray) and numbers.size:
            as_numpy(array)[...] = numbers
    fault = trial.fault(trial.kernel.run(given).value, other)
    return f"called again after its arrays were filled with other numbers, it is wrong: {fault}" if fault else ""


def _layout(trial: Trial) -> str:
    """Right only for contiguous input."""
    try:
        value = trial.kernel.call(trial.arguments(trial.sample), spread=True).value
    except Exception as error:  # to refuse such input is a clear answer
        raise _SaysNothing from error
    fault = trial.fault(value, trial.sample)
    return f"for arrays that are not contiguous in memory it is wrong: {fault}" if fault else ""


def _nan(trial: Trial) -> str:
    """A NaN that goes in must come out where the definition has one."""

    def first_is_nan(array: Any) -> Any:
        changed = array.copy()
        changed.flat[:1] = np.nan
        return changed

    dirty = trial.sample.with_arrays(first_is_nan)
    if refusal(trial.op, dirty.args, dirty.kwargs):
        raise _SaysNothing
    expected = trial.expected(dirty)
    try:
        got = of_interest(trial.kernel.call(trial.arguments(dirty)).value, expected)
    except Exception as error:
        raise _SaysNothing from error
    for mine, theirs in zip(tree.leaves(got), tree.leaves(expected), strict=False):
        a, b = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
        if a.shape == b.shape and np.any(np.isnan(b) & ~np.isnan(a)):
            count = int(np.sum(np.isnan(b) & ~np.isnan(a)))
            return (
                f"it hides a NaN of its input: {count} of {int(np.isnan(b).sum())} entries that are NaN have a number"
            )
    return ""


def leave_rubbish(library: Library, like: Any) -> None:
    """Fill memory with a number and free it, so that who reads memory before writing to it finds that number there."""
    for leaf in tree.leaves(like):
        if isinstance(leaf, np.ndarray | np.generic):
            held = [library.array(np.full(leaf.shape, RUBBISH, np.float64)) for _ in range(LEFTOVERS)]
            held += [library.array(np.full(leaf.shape, RUBBISH, np.float32)) for _ in range(LEFTOVERS)]
            del held


def has_rubbish(value: Any) -> bool:
    """Tell whether a value has the number in it that `leave_rubbish` leaves."""
    arrays = [np.asarray(leaf) for leaf in tree.leaves(value) if hasattr(leaf, "dtype")]
    with np.errstate(invalid="ignore"):
        wide = [array.astype(np.float64) for array in arrays if array.dtype.kind == "f"]
    return any(np.isclose(array, RUBBISH, rtol=1e-6).any() for array in wide)


def _other(trial: Trial) -> Sample:
    other = trial.other()
    if other is None or not other.has_floats():
        raise _SaysNothing
    return other


def _made(trial: Trial) -> Callable[[Any], Any]:
    return lambda leaf: trial.kernel.library.array(leaf) if isinstance(leaf, np.ndarray) else leaf


PROBES: dict[str, Callable[[Trial], str]] = {
    "a result cached by shape": _called_again,
    "a result cached by pointer": _same_memory,
    "input that is not contiguous": _layout,
    "a NaN in the input": _nan,
}
"""What a function is tried for, and how."""


def only_moves(op: Builtin, samples: list[Sample]) -> bool:
    """Tell whether a builtin only moves numbers, such as a transpose; a view is then as good a result as a copy."""
    ordinary = [sample for sample in samples if sample.is_ordinary and sample.has_floats()]
    for sample in ordinary:
        numbers = np.concatenate([array.ravel() for array in sample.arrays("f")])
        for leaf in tree.leaves(op.bind(sample.args, sample.kwargs).define()):
            if isinstance(leaf, np.ndarray | np.generic) and not np.isin(np.asarray(leaf), numbers).all():
                return False
    return bool(ordinary)

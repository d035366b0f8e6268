"""What the checks ask a builtin on a sample, and how they name the sample."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.checks.model import Subject
from opbook.checks.numbers import uneven
from opbook.checks.sampling import Sample
from opbook.checks.writing import python_call

FLOAT_NAMES = ("float16", "float32", "float64")


def on(subject: Subject, sample: Sample) -> str:
    """Name the input in a message, in a form that can be pasted into a test.

    Args:
        subject: The builtin under test.
        sample: The input.

    Returns:
        A text in brackets, with the call as one would write it.
    """
    return f" (on {sample.label}: {python_call(subject.op.name, sample.args, sample.kwargs)})"


def is_numeric(value: Any) -> bool:
    """Whether a value is one array, or a structure of arrays, of floating-point numbers.

    Args:
        value: The value.

    Returns:
        True if it has entries and all of them are such numbers.
    """
    leaves = tree.leaves(value)
    return bool(leaves) and all(
        isinstance(leaf, np.ndarray | np.floating) and leaf.dtype.kind == "f" for leaf in leaves
    )


def with_arrays(sample: Sample, change: Callable[[Any], Any], kinds: str = "f") -> Sample:
    """The same sample with every array changed whose dtype is of some kinds.

    Args:
        sample: The sample.
        change: What is done to each array.
        kinds: NumPy's letters of the kinds: floating-point arrays unless given.

    Returns:
        A sample with the changed arrays.
    """

    def convert(leaf: Any) -> Any:
        return change(leaf) if isinstance(leaf, np.ndarray) and leaf.dtype.kind in kinds else leaf

    args, kwargs = tree.map_leaves(convert, sample.args), tree.map_leaves(convert, sample.kwargs)
    return replace(sample, args=args, kwargs=kwargs)


def in_precision(sample: Sample, dtype: str) -> Sample:
    """The same sample with its floating-point arrays rounded to a dtype.

    Args:
        sample: The sample.
        dtype: The dtype's name.

    Returns:
        The rounded sample, or the same one if there is nothing to round; what is too large for the dtype becomes
            infinite.
    """
    if all(leaf.dtype == dtype for leaf in _float_arrays(sample)):
        return sample
    with np.errstate(over="ignore"):
        return with_arrays(sample, lambda array: array.astype(dtype))


def _float_arrays(sample: Sample) -> list[Any]:
    leaves = tree.leaves((sample.args, sample.kwargs))
    return [leaf for leaf in leaves if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"]


def in_every_precision(sample: Sample, names: Iterable[str] = FLOAT_NAMES) -> Iterator[tuple[str, Sample]]:
    """The sample in each dtype that its numbers fit into.

    Args:
        sample: The sample.
        names: The dtypes.

    Yields:
        The name of each dtype with the sample in it.
    """
    for name in names:
        rounded = in_precision(sample, name)
        if rounded is sample or _infinities(rounded) == _infinities(sample):
            yield name, rounded


def _infinities(sample: Sample) -> int:
    """How many numbers of the positional arguments are infinite."""
    arrays = [leaf for leaf in tree.leaves(sample.args) if isinstance(leaf, np.ndarray)]
    return sum(int(np.isinf(array).sum()) for array in arrays if array.dtype.kind == "f")


def precisions(subject: Subject, sample: Sample) -> list[tuple[str, Sample]]:
    """A sample of a subject in each dtype that its numbers fit into, made once.

    Args:
        subject: The builtin under test.
        sample: The sample.

    Returns:
        The name of each dtype with the sample in it; what is evaluated on these is kept as well.
    """
    made: list[tuple[str, Sample]] = subject.once(
        "precisions", sample, lambda: [(name, subject.own(rounded)) for name, rounded in in_every_precision(sample)]
    )
    return made


def rounded_like(exact: Any, value: Any) -> Any:
    """Round exact numbers to the dtypes of a value: beyond a dtype's range, inf is the right answer.

    Args:
        exact: A value in float64.
        value: One built alike, in other dtypes.

    Returns:
        The exact value in those.
    """

    def convert(wide: Any, narrow: Any) -> Any:
        return wide.astype(narrow.dtype) if isinstance(narrow, np.ndarray | np.floating) else wide

    with np.errstate(over="ignore"):
        return tree.rebuild(exact, map(convert, tree.leaves(exact), tree.leaves(value)))


def has_arrays(sample: Sample) -> bool:
    """Whether there is a floating-point array among the positional arguments.

    Args:
        sample: The sample.

    Returns:
        True if there is one.
    """
    return any(isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" for leaf in tree.leaves(sample.args))


def is_differentiable(subject: Subject, sample: Sample) -> bool:
    """Whether there is something to differentiate, and something to differentiate it by.

    Args:
        subject: The builtin under test.
        sample: The input.

    Returns:
        True if both are there.
    """
    found: bool = subject.once("differentiable", sample, lambda: _has_gradient(subject, sample))
    return found


def _has_gradient(subject: Subject, sample: Sample) -> bool:
    if not has_arrays(sample) and not any(isinstance(leaf, float) for leaf in tree.leaves(sample.args)):
        return False
    value = value_of(subject, sample)
    return is_numeric(value) and not any(np.isnan(leaf).any() for leaf in tree.leaves(value))


def cotangent_of(value: Any, seed: int = 0) -> Any:
    """An uneven cotangent for a value.

    Args:
        value: The value.
        seed: Another number gives another cotangent.

    Returns:
        Arrays of the shapes and dtypes of the value.
    """
    leaves = tree.leaves(value)
    return tree.rebuild(
        value, [uneven(np.shape(leaf), seed + i).astype(leaf.dtype)[()] for i, leaf in enumerate(leaves)]
    )


def value_of(subject: Subject, sample: Sample) -> Any:
    """The builtin's value.

    Args:
        subject: The builtin under test.
        sample: The input.

    Returns:
        What a call gives.
    """
    return subject.once("value", sample, lambda: subject.op(*sample.args, **sample.kwargs))


def definition_of(subject: Subject, sample: Sample) -> Any:
    """The definition's value.

    Args:
        subject: The builtin under test.
        sample: The input.

    Returns:
        What the definition gives in float64, rounded to the sample's dtype.
    """
    return subject.once("definition", sample, lambda: subject.call(sample).define())


def gradients_of(subject: Subject, sample: Sample) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients.

    Args:
        subject: The builtin under test.
        sample: The input, which is differentiable.

    Returns:
        The value, and its pullback's answer to `cotangent_of` it.
    """
    made: tuple[Any, tuple[Any, ...]] = subject.once("gradients", sample, lambda: _gradients(subject, sample))
    return made


def _gradients(
    subject: Subject, sample: Sample, layout: Callable[[Any], Any] = lambda array: array
) -> tuple[Any, tuple[Any, ...]]:
    value, pullback = subject.op.value_and_pullback(*sample.args, **sample.kwargs)
    return value, pullback(tree.map_leaves(lambda g: layout(np.asarray(g)), cotangent_of(value)))


def answer(subject: Subject, sample: Sample, layout: Callable[[Any], Any] | None = None) -> Any:
    """The value, and the gradients if there are any.

    Args:
        subject: The builtin under test.
        sample: The input.
        layout: Puts the cotangent into another layout of memory.

    Returns:
        The value, or a pair of it and the gradients.
    """
    if not is_differentiable(subject, sample):
        return value_of(subject, sample)
    return gradients_of(subject, sample) if layout is None else _gradients(subject, sample, layout)

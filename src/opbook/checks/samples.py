"""Samples: the inputs that a builtin is checked with, and the numbers that they are made of."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from opbook.autodiff import tree

FLOAT_NAMES = ("float16", "float32", "float64")


@dataclass(frozen=True)
class Sample:
    """One input.

    Attributes:
        label: What is special about it, such as "mask with an empty row".
        args: Positional arguments, with arrays in float64.
        kwargs: Keyword arguments.
        is_edge: Whether it lies at an edge, where another library may do something else on purpose.
        is_smooth: Whether central differences are meaningful there: not next to a kink, nor with so many numbers that
            some are next to one, nor with numbers that are not finite.
        is_generated: Whether it was generated from annotations, rather than given by the author.
        is_refused: Whether the builtin must refuse it with an error.
        known: The value, worked out in another way; None where it is not known.
        words: What the error must say where the builtin must refuse it.
        pytorch: What PyTorch returns there, as the builtin's page says it.
    """

    label: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    is_edge: bool = False
    is_smooth: bool = True
    is_generated: bool = False
    is_refused: bool = False
    known: Any = None
    words: str = ""
    pytorch: str = ""

    def saying(self, words: str) -> Self:
        """The same sample, of a call that must be refused with these words.

        Args:
            words: A part of the error's message.

        Returns:
            The sample.
        """
        return replace(self, words=words)

    def at_edge(self) -> Self:
        """The same sample, which lies at an edge though its value is known."""
        return replace(self, is_edge=True)

    def in_pytorch(self, result: str) -> Self:
        """The same sample, with what PyTorch returns there, for the builtin's page.

        Args:
            result: The result as `opbook.pages.edges.outcome` writes it, such as "all NaN".

        Returns:
            The sample.
        """
        return replace(self, pytorch=result)

    @property
    def is_ordinary(self) -> bool:
        """Whether everybody agrees what is right there: no edge, nothing empty, every number finite."""
        return not self.is_edge and all(
            array.size and np.isfinite(array).all() for array in self.arrays() if array.dtype.kind in "fiub"
        )

    def arrays(self, kinds: str = "fiub") -> list[Any]:
        """The arrays among the arguments.

        Args:
            kinds: NumPy's letters of the kinds of dtypes that count.

        Returns:
            Those of the positional arguments, then those of the others.
        """
        leaves = tree.leaves((self.args, self.kwargs))
        return [leaf for leaf in leaves if isinstance(leaf, np.ndarray) and leaf.dtype.kind in kinds]

    def has_floats(self) -> bool:
        """Whether there is a floating-point array among the positional arguments."""
        return any(isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" for leaf in tree.leaves(self.args))

    def with_arrays(self, change: Callable[[Any], Any], kinds: str = "f") -> Self:
        """The same sample with every array changed whose dtype is of some kinds.

        Args:
            change: What is done to each array.
            kinds: NumPy's letters of the kinds: floating-point arrays unless given.

        Returns:
            A sample with the changed arrays.
        """

        def convert(leaf: Any) -> Any:
            return change(leaf) if isinstance(leaf, np.ndarray) and leaf.dtype.kind in kinds else leaf

        args, kwargs = tree.map(convert, self.args), tree.map(convert, self.kwargs)
        return replace(self, args=args, kwargs=kwargs)

    def in_precision(self, dtype: str) -> Self:
        """The same sample with its floating-point arrays rounded to a dtype.

        Args:
            dtype: The dtype's name.

        Returns:
            The rounded sample, or the same one if there is nothing to round; what is too large for the dtype becomes
                infinite.
        """
        if all(array.dtype == dtype for array in self.arrays("f")):
            return self
        with np.errstate(over="ignore"):
            return self.with_arrays(lambda array: array.astype(dtype))

    def in_every_precision(self, names: Iterable[str] = FLOAT_NAMES) -> Iterator[tuple[str, Self]]:
        """The sample in each dtype that its numbers fit into.

        Args:
            names: The dtypes.

        Yields:
            The name of each dtype with the sample in it.
        """
        for name in names:
            rounded = self.in_precision(name)
            if rounded is self or rounded._infinities() == self._infinities():
                yield name, rounded

    def _infinities(self) -> int:
        """How many numbers of the positional arguments are infinite."""
        arrays = [leaf for leaf in tree.leaves(self.args) if isinstance(leaf, np.ndarray)]
        return sum(int(np.isinf(array).sum()) for array in arrays if array.dtype.kind == "f")


class Draw:
    """Draws numbers for samples; the same ones in every run."""

    def __init__(self, seed: str, decimals: int | None = None) -> None:
        self._rng = np.random.default_rng(zlib.crc32(seed.encode()))
        self._decimals = decimals
        self.stopped: set[str] = set()

    def stops(self, *options: str) -> None:
        """Say that options stop a gradient on purpose. No differences are taken of calls with them.

        A row that is padding is looked up as any other, and yet its gradient is 0: differences can't know that.

        Args:
            *options: The names of the arguments.
        """
        self.stopped.update(options)

    def normal(self, *shape: int) -> Any:
        """Numbers of either sign, of the size of 1.

        Args:
            *shape: The length of each axis.

        Returns:
            The array.
        """
        return self._rounded(self._rng.normal(size=shape))

    def positive(self, *shape: int) -> Any:
        """Numbers between 0.3 and 2.

        Args:
            *shape: The length of each axis.

        Returns:
            The array.
        """
        return self._rounded(self._rng.uniform(0.3, 2.0, shape))

    def _rounded(self, numbers: Any) -> Any:
        return numbers if self._decimals is None else np.round(numbers, self._decimals)

    def integers(self, low: int, high: int, *shape: int) -> Any:
        """Whole numbers, some of them more than once where there is room.

        Args:
            low: The smallest that there may be.
            high: What all are below.
            *shape: The length of each axis.

        Returns:
            The array.
        """
        return self._rng.integers(low, max(high, low + 1), shape)

    def mask(self, *shape: int) -> Any:
        """Booleans, more true than false, with a true one in every row that has an entry.

        Args:
            *shape: The length of each axis.

        Returns:
            The array.
        """
        mask = self._rng.random(shape) < 0.6
        if mask.size:
            mask[..., self._rng.integers(shape[-1])] = True
        return mask

    def call(self, *args: Any, **kwargs: Any) -> Sample:
        """A sample with keyword arguments.

        Args:
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample("", args, kwargs)

    def large(self, label: str, /, *args: Any, **kwargs: Any) -> Sample:
        """A sample with too many numbers to take differences: values and rules are compared there.

        Args:
            label: What is special about it.
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample(label, args, kwargs, is_smooth=False)

    def edge(self, label: str, /, *args: Any, **kwargs: Any) -> Sample:
        """A sample at an edge, with its name: values and rules are compared there, but no differences are taken.

        The builtin's page lists it, and `opbook compare` reports apart what a function of one's own does there.

        Args:
            label: What is special about it.
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample(label, args, kwargs, is_edge=True, is_smooth=False)

    def known(self, label: str, value: Any, /, *args: Any, **kwargs: Any) -> Sample:
        """A sample whose value is known: by hand, or by code that shares nothing with definition and rule.

        Args:
            label: What is special about it.
            value: What the builtin must return.
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample(label, args, kwargs, is_smooth=False, known=value)

    def refused(self, label: str, /, *args: Any, **kwargs: Any) -> Sample:
        """A call that the builtin must refuse, with what is wrong about it.

        Add `.saying("at most 8")` where the message matters: the error must then contain these words.

        Args:
            label: What is wrong about it.
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample(label, args, kwargs, is_refused=True)

"""What a value on a tape has in common with an array: its attributes and methods, written with NumPy's functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from opbook.errors import TapeError


class ArrayMethods(NDArrayOperatorsMixin):
    """Operators, attributes and methods of an array. What would lose the gradient without a word is refused."""

    __slots__ = ()

    value: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        shape: tuple[int, ...] = self.value.shape
        return shape

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many entries the array has."""
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> Any:
        """The array's dtype."""
        return self.value.dtype

    @property
    def T(self) -> Any:
        """The transpose."""
        return np.transpose(self)

    @property
    def mT(self) -> Any:
        """The transpose of the last two axes."""
        return np.swapaxes(self, -1, -2)

    @property
    def real(self) -> Any:
        """The array itself."""
        return self

    @property
    def imag(self) -> Any:
        """Zeros."""
        return np.zeros_like(self)

    @property
    def flat(self) -> Any:
        """All entries in one row."""
        return np.ravel(self)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError

    def item(self, *index: Any) -> Any:
        """One entry, which stays on the tape.

        Args:
            *index: Its index, or its place among all entries; nothing for the only one.
        """
        if len(index) == 1 and isinstance(index[0], tuple):
            index = index[0]
        if len(index) > 1 or (not index and self.ndim == 0):
            return self[index]
        if not index and self.size != 1:
            raise ValueError(f"item() takes the entry of an array that has one, but this has {self.size}")
        return np.ravel(self)[index[0] if index else 0]

    def reshape(self, *shape: Any, order: Any = "C") -> Any:
        """`np.reshape`, also with the lengths as separate arguments."""
        lengths = shape[0] if len(shape) == 1 else shape
        return np.reshape(self, lengths) if order == "C" else np.reshape(self, lengths, order)

    def transpose(self, *axes: Any) -> Any:
        """`np.transpose`, also with the axes as separate arguments."""
        return np.transpose(self, (axes[0] if len(axes) == 1 else axes) or None)

    def flatten(self, order: Any = "C") -> Any:
        """`np.ravel`."""
        return np.ravel(self, order)

    def conj(self) -> Any:
        """The array itself."""
        return self

    conjugate = conj

    # What would lose the gradient without a word

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TapeError(
            "a value on a tape can't become a plain array, as its gradient would be lost: build arrays of such values "
            "with np.stack or np.concatenate, or take opbook.stop_gradient(x) where no gradient is meant (for "
            "np.vectorize write np.stack([f(v) for v in x]))"
        )

    def __float__(self) -> float:
        raise TapeError(
            "float() of a value on a tape would lose its gradient, also that of y[0] = x: leave it an array (NumPy's "
            "functions take it), build arrays of such values with np.stack or np.concatenate, or "
            "take float(opbook.stop_gradient(x)) where no gradient is meant"
        )

    __int__ = __complex__ = __float__

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TapeError("a value on a tape can't be written into: build the new array with np.where or np.concatenate")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TapeError(
            "a value on a tape can't be pickled, nor sent to another process, as its gradient would be lost: "
            "pickle opbook.stop_gradient(x) where no gradient is meant"
        )

    def __copy__(self) -> Any:
        return self  # nothing can be written into it, so a copy is nothing else

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def is_on_tape(x: Any) -> bool:
    """Tell whether something is a value on a tape; `isinstance` would say that it is an array as well."""
    return isinstance(x, ArrayMethods)


def _refused(name: str, instead: str) -> Callable[..., Any]:
    def method(self: ArrayMethods, *args: Any, **kwargs: Any) -> Any:
        raise TapeError(f"x.{name} of a value on a tape {instead}")

    return method


def _from_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: ArrayMethods, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__doc__ = f"`np.{function.__name__}`."
    method.__name__ = function.__name__
    return method


for _function in (
    *(np.sum, np.mean, np.var, np.std, np.max, np.min, np.prod, np.cumsum, np.cumprod, np.trace, np.diagonal),
    *(np.ravel, np.squeeze, np.swapaxes, np.repeat, np.take, np.copy, np.clip, np.dot, np.round, np.compress),
    *(np.argmax, np.argmin, np.argsort, np.argpartition, np.all, np.any, np.nonzero, np.searchsorted),
):
    setattr(ArrayMethods, _function.__name__, _from_numpy(_function))

for _name in ("sort", "partition", "fill", "put", "itemset", "resize"):
    setattr(ArrayMethods, _name, _refused(f"{_name}()", "can't write into it: take the function, such as np.sort(x)"))
for _name in ("tobytes", "tofile", "dump", "dumps", "view", "byteswap", "tolist"):
    setattr(ArrayMethods, _name, _refused(f"{_name}()", "would lose its gradient: take opbook.stop_gradient(x) for it"))

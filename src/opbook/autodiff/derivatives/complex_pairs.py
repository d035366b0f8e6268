"""Complex numbers on the way from real input to a real result, as Fourier transforms give them: pairs of real arrays.

No rule knows complex numbers. Each of their operations is written with the real ones that it stands for, so that
gradients, and gradients of gradients, come by themselves.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from opbook.autodiff.derivatives.table import full_name
from opbook.errors import TapeError


class ComplexPair(NDArrayOperatorsMixin):
    """A complex array whose parts are values on a tape, or plain arrays beside them."""

    __slots__ = ("imag", "real")

    __hash__ = object.__hash__

    def __init__(self, real: Any, imag: Any) -> None:
        self.real = real
        self.imag = imag

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        shape: tuple[int, ...] = np.shape(self.real)
        return shape

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.shape)

    @property
    def T(self) -> Any:
        """The transpose."""
        return np.transpose(self)

    def __len__(self) -> int:
        return len(self.real)

    def __getitem__(self, index: Any) -> "ComplexPair":
        return ComplexPair(self.real[index], self.imag[index])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TapeError(
            "a complex value on a tape can't become a plain array: take its .real, its .imag or np.abs of it"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc in _UFUNCS and method == "__call__" and not kwargs:
            return _UFUNCS[ufunc](*map(pair_of, inputs))
        raise _unknown(ufunc)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in _FUNCTIONS:
            return _FUNCTIONS[function](*args, **kwargs)
        if function in _ON_BOTH_PARTS:
            parts = (function(*_parts(args, name), **_parts(kwargs, name)) for name in ("real", "imag"))
            return ComplexPair(*parts)
        raise _unknown(function)

    def conj(self) -> "ComplexPair":
        """The complex conjugate."""
        return ComplexPair(self.real, -self.imag)

    def sum(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """`np.sum`."""
        return np.sum(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """`np.mean`."""
        return np.mean(self, axis=axis, keepdims=keepdims)

    def reshape(self, *shape: Any) -> Any:
        """`np.reshape`, also with the lengths as separate arguments."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)


def pair_of(x: Any) -> ComplexPair:
    """Take a complex number or a real one, on a tape or not, as a pair."""
    if isinstance(x, ComplexPair):
        return x
    if isinstance(x, complex | list) or (type(x) is np.ndarray and x.dtype.kind == "c"):
        return ComplexPair(np.real(x), np.imag(x))
    return ComplexPair(x, 0.0 if isinstance(x, int | float) and not hasattr(x, "dtype") else np.zeros_like(x))


def _parts(arguments: Any, name: str) -> Any:
    """The real or the imaginary parts of all that is complex among arguments."""
    if isinstance(arguments, ComplexPair):
        return getattr(arguments, name)
    if isinstance(arguments, dict):
        return {key: _parts(value, name) for key, value in arguments.items()}
    if isinstance(arguments, tuple | list):
        return type(arguments)(_parts(value, name) for value in arguments)
    return arguments


def _unknown(function: Any) -> TapeError:
    return TapeError(
        f"{full_name(function)} is not known for complex values on a tape: write it with their .real and .imag, with "
        "np.abs and np.angle, or with + - * /"
    )


def _times(x: ComplexPair, y: ComplexPair) -> ComplexPair:
    return ComplexPair(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _over(x: ComplexPair, y: ComplexPair) -> ComplexPair:
    size = y.real * y.real + y.imag * y.imag
    product = _times(x, y.conj())
    return ComplexPair(product.real / size, product.imag / size)


def _power(x: ComplexPair, n: ComplexPair) -> ComplexPair:
    exponent = n.real
    if not (np.ndim(exponent) == 0 and exponent == int(exponent) and exponent > 0):
        raise TapeError("complex values on a tape take powers of positive whole numbers only")
    result = x
    for _ in range(int(exponent) - 1):
        result = _times(result, x)
    return result


def _exp(x: ComplexPair) -> ComplexPair:
    size = np.exp(x.real)
    return ComplexPair(size * np.cos(x.imag), size * np.sin(x.imag))


def _joined(join: Callable[..., Any]) -> Callable[..., Any]:
    """A function that joins arrays, some of which may be real."""

    def joined(arrays: Any, *args: Any, **kwargs: Any) -> ComplexPair:
        pairs = [pair_of(x) for x in arrays]
        return ComplexPair(*(join([getattr(p, name) for p in pairs], *args, **kwargs) for name in ("real", "imag")))

    return joined


def _where(condition: Any, x: Any, y: Any) -> ComplexPair:
    x, y = pair_of(x), pair_of(y)
    return ComplexPair(np.where(condition, x.real, y.real), np.where(condition, x.imag, y.imag))


_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: lambda x, y: ComplexPair(x.real + y.real, x.imag + y.imag),
    np.subtract: lambda x, y: ComplexPair(x.real - y.real, x.imag - y.imag),
    np.negative: lambda x: ComplexPair(-x.real, -x.imag),
    np.positive: lambda x: x,
    np.multiply: _times,
    np.divide: _over,
    np.power: _power,
    np.square: lambda x: _times(x, x),
    np.absolute: lambda x: np.hypot(x.real, x.imag),
    np.conjugate: lambda x: x.conj(),
    np.exp: _exp,
    np.matmul: lambda x, y: ComplexPair(x.real @ y.real - x.imag @ y.imag, x.real @ y.imag + x.imag @ y.real),
}

_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.real: lambda x: x.real,
    np.imag: lambda x: x.imag,
    np.angle: lambda x: np.arctan2(x.imag, x.real),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x: np.size(x.real),
    np.iscomplexobj: lambda x: True,
    np.where: _where,
    np.concatenate: _joined(np.concatenate),
    np.stack: _joined(np.stack),
}

_ON_BOTH_PARTS = {np.sum, np.mean, np.cumsum, np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.squeeze}
_ON_BOTH_PARTS |= {np.expand_dims, np.broadcast_to, np.flip, np.roll, np.take, np.repeat, np.tile, np.pad, np.diff}
_ON_BOTH_PARTS |= {np.fft.fftshift, np.fft.ifftshift, np.zeros_like}


def enter(function: Any) -> Callable[[Any], Any]:
    """Let complex values on a tape take another function."""

    def entered(definition: Any) -> Any:
        _FUNCTIONS[function] = definition
        return definition

    return entered

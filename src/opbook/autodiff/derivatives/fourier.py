"""Fourier transforms of real arrays, and of what they give."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.complex_pairs import ComplexPair, enter, pair_of
from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import composite, dispatching, primitive


@dispatching
def spectrum(parts: Any, inverse: bool) -> Any:
    """Transform the last axis, without a factor; the first has the real and the imaginary parts, before and after."""
    z = parts[0] + 1j * parts[1]
    z = np.fft.ifft(z, norm="forward") if inverse else np.fft.fft(z)
    return np.stack([z.real, z.imag]).astype(parts.dtype)


@primitive(spectrum)
def _spectrum(parts: Any, inverse: bool) -> Parts:
    """The matrix of the transform is symmetric, so that of the way back is its conjugate: the inverse transform."""
    return spectrum(parts, inverse), (lambda g: spectrum(g, not inverse),)


def transform(*functions: Callable[..., Any]) -> Callable[[Any], Any]:
    """Enter a transform for real values on a tape, and for complex ones."""

    def entered(definition: Any) -> Any:
        for function in functions:
            composite(function)(definition)
            enter(function)(definition)
        return definition

    return entered


def _factor(n: int, norm: str | None, inverse: bool) -> float:
    if norm == "ortho":
        return 1 / math.sqrt(n)
    if norm not in (None, "backward", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return 1 / n if inverse is (norm != "forward") else 1.0


def _of_length(x: Any, n: int) -> Any:
    """Cut the last axis, or fill it up with zeros."""
    length = np.shape(x)[-1]
    if length >= n:
        return x[..., :n]
    return np.concatenate([x, np.zeros((*np.shape(x)[:-1], n - length), x.dtype)], axis=-1)


def _transformed(x: Any, n: int | None, axis: int, norm: str | None, inverse: bool) -> ComplexPair:
    x = pair_of(x)
    n = x.shape[axis] if n is None else n
    parts = np.stack([_of_length(np.moveaxis(part, axis, -1), n) for part in (x.real, x.imag)])
    values = spectrum(parts, inverse) * _factor(n, norm, inverse)
    return ComplexPair(*(np.moveaxis(values[i], -1, axis) for i in (0, 1)))


@transform(np.fft.fft)
def fft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> ComplexPair:
    return _transformed(x, n, axis, norm, inverse=False)


@transform(np.fft.ifft)
def ifft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> ComplexPair:
    return _transformed(x, n, axis, norm, inverse=True)


@transform(np.fft.rfft)
def rfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The first half of the transform: that of a real row is its own mirror image."""
    n = np.shape(x)[axis] if n is None else n
    return np.moveaxis(np.moveaxis(fft(x, n, axis, norm), axis, -1)[..., : n // 2 + 1], -1, axis)


@transform(np.fft.irfft)
def irfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    x = pair_of(x)
    n = 2 * (x.shape[axis] - 1) if n is None else n
    half = n // 2 + 1
    real, imag = (_of_length(np.moveaxis(part, axis, -1), half) for part in (x.real, x.imag))
    mirrored = np.flip(np.arange(1, (n + 1) // 2))
    whole = ComplexPair(
        np.concatenate([real, real[..., mirrored]], axis=-1), np.concatenate([imag, -imag[..., mirrored]], axis=-1)
    )
    return np.moveaxis(ifft(whole, norm=norm).real, -1, axis)


OTHER_WAY = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The norm of the transform in the other direction."""


@transform(np.fft.hfft)
def hfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    return irfft(pair_of(x).conj(), n, axis, OTHER_WAY[norm])


@transform(np.fft.ihfft)
def ihfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    return rfft(x, n, axis, OTHER_WAY[norm]).conj()


def _lengths_and_axes(x: Any, s: Any, axes: Any) -> list[tuple[int | None, int]]:
    n = len(np.shape(x))
    if axes is None:
        axes = range(n - len(s), n) if s is not None else range(n)
    lengths: Sequence[Any] = [None] * len(axes) if s is None else [None if length == -1 else length for length in s]
    return list(zip(lengths, axes, strict=True))


@transform(np.fft.fftn)
def fftn(x: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    for length, axis in _lengths_and_axes(x, s, axes):
        x = fft(x, length, axis, norm)
    return x


@transform(np.fft.ifftn)
def ifftn(x: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    for length, axis in _lengths_and_axes(x, s, axes):
        x = ifft(x, length, axis, norm)
    return x


@transform(np.fft.rfftn)
def rfftn(x: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    *others, (length, axis) = _lengths_and_axes(x, s, axes)
    x = rfft(x, length, axis, norm)
    for length, axis in others:
        x = fft(x, length, axis, norm)
    return x


@transform(np.fft.irfftn)
def irfftn(x: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    *others, (last, last_axis) = _lengths_and_axes(x, s, axes)
    for length, axis in others:
        x = ifft(x, length, axis, norm)
    return irfft(x, last, last_axis, norm)


def _of_planes(function: Any, of_all: Callable[..., Any]) -> None:
    """Enter a transform of the last two axes."""

    def of_planes(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
        return of_all(x, s, axes, norm)

    transform(function)(of_planes)


_of_planes(np.fft.fft2, fftn)
_of_planes(np.fft.ifft2, ifftn)
_of_planes(np.fft.rfft2, rfftn)
_of_planes(np.fft.irfft2, irfftn)

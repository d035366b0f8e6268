"""Which library's arrays a function takes, and how arrays get there and back."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from opbook.autodiff import tree

LIBRARIES = ("numpy", "torch", "jax")


@dataclass(frozen=True)
class Library:
    """An array library.

    Attributes:
        name: One of `LIBRARIES`.
        reason: How it is known that the function takes its arrays.
    """

    name: str
    reason: str

    def array(self, array: Any) -> Any:
        """Make an array of the library."""
        if self.name == "torch":
            import torch  # type: ignore[import-not-found,unused-ignore]

            return torch.from_numpy(np.array(array))
        if self.name == "jax":
            import jax  # type: ignore[import-not-found,unused-ignore]

            jax.config.update("jax_enable_x64", True)  # without it float64 would become float32
            return jax.numpy.array(array)
        return np.array(array)

    def laid_out(self, array: Any) -> Any:
        """Make an array of the library whose entries do not stand one behind the other in memory.

        Returns:
            The same numbers: every other entry of a larger array, with the axes the other way round in memory, and with
            other numbers between.
        """
        others = 2 * array + 1 if array.dtype.kind == "f" else ~array if array.dtype.kind == "b" else array
        view = np.stack([others.T, array.T], axis=-1)[..., 1].T
        if self.name == "torch":
            import torch

            return torch.from_numpy(view)
        return view if self.name == "numpy" else self.array(view)


def as_numpy(leaf: Any) -> Any:
    """Take an array of any library as NumPy's; None, which a function without a return gives, stays None."""
    if leaf is None or isinstance(leaf, np.ndarray | np.generic | int | float | bool):
        return leaf
    if hasattr(leaf, "detach"):  # a PyTorch tensor that requires a gradient refuses both protocols
        leaf = leaf.detach()
    if str(getattr(leaf, "dtype", "")) == "torch.bfloat16":  # NumPy has no such dtype
        leaf = leaf.float()
    return np.from_dlpack(leaf) if hasattr(leaf, "__dlpack__") else np.asarray(leaf)


def library_of(function: Callable[..., Any]) -> Library:
    """Find out which arrays a function takes: from its annotations, what its code uses, and what its module imports.

    Returns:
        The library; NumPy where nothing speaks for another one.
    """
    declared = getattr(function, "arrays", None)
    if declared in LIBRARIES:
        return Library(declared, "an adapter says so")
    inner = _innermost(function)
    for thing in (inner, *type(inner).__mro__):  # a class of the user's own may be one of torch.nn
        if _root(thing) in ("torch", "jax"):
            return Library(_root(thing), f"it comes from {_root(thing)}")
    by_annotation = _annotated(inner)
    if by_annotation:
        return Library(by_annotation, "its annotations say so")
    used, names = _used(inner)
    if "from_numpy" in names:
        return Library("numpy", "it makes tensors of NumPy arrays itself")
    for name in ("jax", "torch"):
        if name in used:
            return Library(name, f"its code uses {name}")
    if "numpy" in used:
        return Library("numpy", "its code uses numpy")
    imported = {_root(value) for value in getattr(inner, "__globals__", {}).values()}
    for name in ("torch", "jax"):
        if name in imported and "numpy" not in imported:
            return Library(name, f"its module imports {name}")
    return Library("numpy", "nothing speaks for another library")


def _innermost(function: Any) -> Any:
    """What does the work: the function behind a partial, a decorator, a method or an object that can be called."""
    while True:
        if hasattr(function, "func") and hasattr(function, "keywords"):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif hasattr(function, "py_func"):  # compiled by Numba
            function = function.py_func
        elif inspect.ismethod(function):
            function = function.__func__
        elif not inspect.isroutine(function) and not isinstance(function, type):
            call = type(function).__call__
            if not isinstance(call, FunctionType) or str(call.__module__).startswith("torch"):
                return function
            function = call
        else:
            return function


def _annotated(function: Any) -> str:
    hints = getattr(function, "__annotations__", {}).values()
    for name in ("torch", "jax", "numpy"):
        for hint in hints:
            words = hint if isinstance(hint, str) else f"{getattr(hint, '__module__', '')} {hint!r}"
            if name in words or (name == "torch" and "Tensor" in words) or (name == "numpy" and "np." in words):
                return name
    return ""


def _used(function: Any) -> tuple[set[str], set[str]]:
    """The libraries that a function uses, itself or in functions of its module that it calls; all names in its code."""
    libraries: set[str] = set()
    names: set[str] = set()
    waiting: list[Any] = [function]
    seen: set[FunctionType] = set()
    while waiting:
        current = waiting.pop()
        if not isinstance(current, FunctionType) or current in seen:
            continue
        seen.add(current)
        enclosing = inspect.getclosurevars(current).nonlocals
        for name in (*_names(current.__code__), *enclosing):
            names.add(name)
            value = enclosing.get(name, current.__globals__.get(name))
            # a name that is imported in the function itself is no global one
            libraries |= {root for root in (_root(value), name.partition(".")[0]) if root in LIBRARIES}
            waiting.append(value)
    return libraries, names


def words_in(function: Callable[..., Any]) -> set[str]:
    """List the names and texts in a function's code, and in that of the functions of its module that it calls."""
    return _used(_innermost(function))[1]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
        else:
            yield from (text for text in tree.leaves(constant) if isinstance(text, str))


def _root(value: Any) -> str:
    name = value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", None) or "")
    return name.partition(".")[0]

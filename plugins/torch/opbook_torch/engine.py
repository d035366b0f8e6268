"""The way to PyTorch and back: a function of tensors becomes what a rule returns, a value and its pullback.

On the CPU arrays and tensors share their memory. Gradients are those of PyTorch's autograd.
"""

import functools
import importlib
import os
import sys
import threading
import warnings
from contextlib import contextmanager

import numpy as np

from opbook import tree
from opbook.errors import SettingsError

DEVICE = "OPBOOK_TORCH_DEVICE"
"""The environment variable that names the device to compute on, such as `cuda`; the CPU unless it is set."""


class HandOn(Exception):
    """Raised in a rule for a call that is left to the next rule."""


def by_torch(function):
    """Make a rule of a function that uses PyTorch.

    Args:
        function: Takes what the definition takes, and returns `(value, pullback)`, or raises `HandOn`.

    Returns:
        The rule. Without a PyTorch that works here it takes no call.
    """

    @functools.wraps(function)
    def rule(*args, **kwargs):
        if not _is_usable or torch() is None:
            return NotImplemented
        try:
            return function(*args, **kwargs)
        except HandOn:
            return NotImplemented

    return rule


def differentiated(function, *arguments):
    """Evaluate a function of tensors.

    Args:
        function: Takes the arguments, with tensors in the place of arrays.
        *arguments: Arrays, records and tuples of arrays, and whatever else it takes.

    Returns:
        The value, and a pullback with a gradient for each argument, built as the argument is.

    Raises:
        HandOn: An array has no entries, or the value has one that is not finite: where PyTorch and the definition
            part, this is mostly where it shows.
    """
    given = tree.leaves(arguments)
    if not all(leaf.size for leaf in given if isinstance(leaf, np.ndarray)):
        raise HandOn
    with _recording():
        tensors = [constant(leaf) for leaf in given]
        inputs = [tensor.requires_grad_() for tensor in tensors if _is_float(tensor)]
        value = function(*tree.unflatten(arguments, tensors))
        if not value.detach().sum().isfinite():
            raise HandOn

    def pullback(g):
        with _recording():
            cotangent = constant(np.asarray(g))
            found = torch().autograd.grad(value, inputs, cotangent, retain_graph=True, materialize_grads=True)
        gradients = _apart(found, cotangent)
        return tree.unflatten(arguments, [next(gradients) if _is_float(tensor) else None for tensor in tensors])

    return value.detach().numpy(force=True), pullback


def constant(leaf):
    """Take an array as a tensor that is not differentiated; anything else stays what it is."""
    if not isinstance(leaf, np.ndarray):
        return leaf
    is_plain = leaf.flags.c_contiguous and leaf.flags.writeable and min(leaf.strides, default=0) >= 0
    return torch().from_numpy(leaf if is_plain else leaf.copy()).to(device())


def refuse_unless(condition):
    """Hand a call on unless a condition holds."""
    if not condition:
        raise HandOn


@functools.cache
def torch():
    """Import PyTorch.

    A clock that rings meanwhile, such as that of a program of the notation, would leave half of it behind. It rings in
    the main thread, so another thread imports.

    Returns:
        The module; None, with one warning, if it can't be imported.
    """
    imported = []
    thread = threading.Thread(target=lambda: imported.append(_imported()), daemon=True)
    thread.start()
    thread.join()
    return imported[0]


def _imported():
    try:
        return importlib.import_module("torch")
    except Exception as error:  # one that does not fit the machine, or its memory, raises anything
        warnings.warn(
            f"the rules of opbook-torch are not used, as PyTorch can't be imported ({type(error).__name__}: {error}); "
            "other rules take their place. Install it as https://pytorch.org says, or leave the plugin out with "
            "OPBOOK_DISABLE=torch",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


@functools.cache
def device():
    """The device to compute on.

    Raises:
        SettingsError: `OPBOOK_TORCH_DEVICE` names one that PyTorch can't use here.
    """
    name = os.environ.get(DEVICE) or "cpu"
    try:
        return torch().zeros(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise SettingsError(f"{DEVICE} is {name!r}, which PyTorch can't compute on here: {reason}") from None


@contextmanager
def _recording():
    """Have PyTorch record what it does, in the precision of the arrays, whatever it does around this call."""
    with torch().inference_mode(False), torch().enable_grad(), torch().autocast(device().type, enabled=False):
        yield


def _is_float(leaf):
    return isinstance(leaf, torch().Tensor) and leaf.is_floating_point()


def _apart(gradients, cotangent):
    """Gradients as arrays, none of which is another's memory or the cotangent's."""
    taken = {cotangent.data_ptr()}
    for gradient in gradients:
        if gradient.data_ptr() in taken or not gradient.is_contiguous():
            gradient = gradient.clone(memory_format=torch().contiguous_format)
        taken.add(gradient.data_ptr())
        yield gradient.numpy(force=True)


def _stop_in_a_fork():
    """In a forked process PyTorch's threads are missing, and what waits for them waits for ever."""
    global _is_usable
    _is_usable = "torch" not in sys.modules


_is_usable = True
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_stop_in_a_fork)

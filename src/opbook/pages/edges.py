"""Edge cases: what a builtin returns there and what it refuses, from the inputs of its checks."""

import contextlib
import io
import re
import warnings
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.checks.inputs import edges_of, refused_by
from opbook.checks.samples import Sample
from opbook.errors import OpbookError
from opbook.pages.page import EdgeCase, EdgeCases, Refusal

MANY_NUMBERS = 300
"""An input with more numbers than this is there for a rule's sake, not for a reader's."""

FEW_NUMBERS = 6
"""So many numbers are written out."""

MOST = 8
"""How many edges a page shows at most; first those for which it also says what PyTorch does."""

_RAISES = re.compile(r"^(\w[\w.]*): (.*(?:\n[ \t]+.*)*)", re.MULTILINE)


def edges(op: Builtin) -> EdgeCases:
    """Collect a builtin's edge cases, and try them.

    Returns:
        The edge cases. One that is not refused has no message; that it must be is for the checks to say.
    """
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answered = [_answered(op, sample) for sample in _telling(edges_of(op))]
            refused = [_refusal(op, sample.label, sample.args, sample.kwargs) for sample in refused_by(op)]
        except Exception:  # `samples` may raise anything; the checks report it
            answered, refused = [], []
    return EdgeCases(tuple(answered), tuple(refused), tuple(_raises(op.doc.sections.get("Raises", ""))))


def outcome(value: Any) -> str:
    """Say in a few words what came out: the numbers themselves where there are few."""
    if value is None:
        return "accepted; it returns nothing"
    arrays = [np.asarray(leaf) for leaf in tree.leaves(value)]
    total = sum(array.size for array in arrays)
    if len(arrays) == 1 and 0 < total <= FEW_NUMBERS:
        return _written(arrays[0])
    numbers = np.concatenate([array.ravel().astype(float) for array in arrays]) if arrays else np.zeros(0)
    if not total:
        return "no entries"
    for words, found in (("NaN", np.isnan(numbers)), ("infinite", np.isinf(numbers)), ("0", numbers == 0)):
        if found.all():
            return f"all {words}"
        if found.any() and words != "0":
            return f"{found.sum()} of {total} entries {words}"
    rows_of_0 = (arrays[0] == 0).all(axis=-1) if arrays[0].ndim > 1 else np.zeros(0)
    if len(arrays) == 1 and rows_of_0.any():
        return f"{rows_of_0.sum()} of {rows_of_0.size} rows 0, the others finite"
    return "all finite"


def _telling(samples: list[Sample]) -> list[Sample]:
    found = {sample.label: sample for sample in samples if sum(map(np.size, sample.arrays())) <= MANY_NUMBERS}
    return sorted(found.values(), key=lambda sample: not sample.pytorch)[:MOST]


def _answered(op: Builtin, sample: Sample) -> EdgeCase:
    try:
        result = outcome(op(*sample.args, **sample.kwargs))
    except Exception as error:  # the checks report it
        result = type(error).__name__
    return EdgeCase(sample.label, _call(op, sample), result, sample.pytorch)


def _call(op: Builtin, sample: Sample) -> str:
    """The call with its numbers, if there are few enough to be read."""
    arguments = [*sample.args, *sample.kwargs.values()]
    is_plain = all(isinstance(one, np.ndarray | int | float | str) for one in arguments)
    if not is_plain or sum(map(np.size, arguments)) > FEW_NUMBERS + len(sample.args):
        return ""
    given = [*map(_written, sample.args), *(f"{name}={_written(value)}" for name, value in sample.kwargs.items())]
    return f"{op.name}({', '.join(given)})"


def _written(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    array = np.asarray(value)
    if array.ndim:
        return f"[{', '.join(map(_written, array))}]"
    return str(array) if array.dtype.kind in "bU" else f"{float(array) + 0.0:.4g}"


def _refusal(op: Builtin, label: str, args: tuple[object, ...], kwargs: dict[str, object]) -> Refusal:
    try:
        op(*args, **kwargs)
    except OpbookError as error:
        return Refusal(label, type(error).__name__, str(error))
    except Exception as error:
        return Refusal(label, type(error).__name__, f"{op.name}: {error}")
    return Refusal(label, "", "")


def _raises(section: str) -> list[tuple[str, str]]:
    return [(match[1], " ".join(match[2].split())) for match in _RAISES.finditer(section)]

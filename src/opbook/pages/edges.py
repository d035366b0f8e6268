"""Edge cases in sentences: what a builtin answers and what it refuses, from the inputs of its checks."""

import contextlib
import io
import re
import warnings

from opbook.builtins.builtin import Builtin
from opbook.checks.inputs import edges_of, refused_by
from opbook.errors import OpbookError
from opbook.pages.page import EdgeCases, Refusal

_RAISES = re.compile(r"^(\w[\w.]*): (.*(?:\n[ \t]+.*)*)", re.MULTILINE)


def edges(op: Builtin) -> EdgeCases:
    """Collect a builtin's edge cases, and try those that it must refuse.

    Returns:
        The edge cases. One that is not refused has no message; that it must be is for the checks to say.
    """
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answered = tuple(dict.fromkeys(sample.label for sample in edges_of(op)))
            refused = [_refusal(op, sample.label, sample.args, sample.kwargs) for sample in refused_by(op)]
        except Exception:  # `samples` may raise anything; the checks report it
            answered, refused = (), []
    return EdgeCases(answered, tuple(refused), tuple(_raises(op.doc.sections.get("Raises", ""))))


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

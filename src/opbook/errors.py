"""Every error that opbook raises on purpose.

Each class is both an [`OpbookError`][opbook.errors.OpbookError] and the built-in type that a Python user would catch,
and each message says what was expected, what came (with the numbers) and what to do.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class OpbookError(Exception):
    """Base of every error that opbook raises on purpose."""


class ArgumentError(OpbookError, TypeError):
    """The wrong number or the wrong kind of arguments."""


class ShapeError(OpbookError, ValueError):
    """Arrays whose shapes do not fit together."""


class InputError(OpbookError, ValueError):
    """A value out of its range, such as a mask entry of 0.5 or a negative `eps`."""


class DTypeError(OpbookError, TypeError):
    """An array of a type that opbook does not compute with, such as complex or object."""


class TapeError(OpbookError, TypeError):
    """Something that the tape cannot differentiate; the message says what to use instead."""


class RuleError(OpbookError, ValueError):
    """A builtin's VJP rule that broke its contract: the author's mistake, not the caller's."""


class DeclarationError(OpbookError, TypeError):
    """A builtin that is declared wrongly: an unknown annotation, a missing docstring, a rule that does not fit."""


class UnknownBuiltinError(OpbookError, LookupError):
    """A name that is not in the catalogue."""


class BuiltinImportError(OpbookError, ImportError):
    """`from opbook.ops import NAME` with a name that is not in the catalogue."""


class PluginError(OpbookError, ImportError):
    """A plugin that cannot be loaded, or two that claim the same builtin name."""


class MissingPackageError(OpbookError, ImportError):
    """A package that is needed for what was asked for, and is not installed."""


class SettingsError(OpbookError, ValueError):
    """A setting that is not understood, in `pyproject.toml` or in an environment variable."""


class NotationError(OpbookError, ValueError):
    """A mistake in a `qu` program; the message shows the line with a caret."""


class ExampleError(OpbookError, ValueError):
    """A documentation example that cannot be collected, or a fence that no test would run."""


def nearest(name: str, names: Iterable[str]) -> str:
    """Suggest the nearest of `names`.

    Args:
        name: What was asked for.
        names: What there is.

    Returns:
        `" Did you mean layer_norm?"`, with up to three names, or the empty text where nothing is near.
    """
    # comparing thousands of long names takes seconds
    matches = get_close_matches(name, list(names)[:1000], n=3, cutoff=0.7) if len(name) <= 100 else []
    return f" Did you mean {' or '.join(matches)}?" if matches else ""


def renamed(error: OpbookError, builtin: str) -> OpbookError:
    """Put a builtin's name before an error's message.

    Args:
        error: An error about an argument.
        builtin: The builtin's name.

    Returns:
        An error of the same class.
    """
    return type(error)(f"{builtin}: {error}")

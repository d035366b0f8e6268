"""From what an author typed to the name of a builtin, its module and its distribution."""

import builtins
import importlib.util
import keyword
import re
import sys
from collections.abc import Container

from opbook.errors import InputError

LONGEST = 30
"""With a longer name, lines of the new files would be too long for its own linter."""

NOTATION = {"if", "then", "else", "and", "or", "not", "true", "false", "inf", "nan"}
"""What the notation does not take for a name."""

_USED = {"np", "builtin", "hookimpl"}


def name_of(text: str, taken: Container[str]) -> str:
    """Work out the name of a new builtin.

    Args:
        text: What the author typed: `swish`, or its distribution's name, `opbook-swish`. Runs of dashes, points,
            underscores and blanks are one underscore, and capital letters small ones, as package indexes have it.
        taken: The names of the builtins that there are.

    Returns:
        A name that Python and the notation can call, and that nothing else has.

    Raises:
        InputError: It is none; the message says why, and what one looks like.
    """
    name = re.sub(r"[-_.\s]+", "_", text.strip()).lower().removeprefix("opbook_")
    if reason := _reason(name, taken):
        raise InputError(f"{text!r} can't be the name of a plugin: {reason}")
    return name


def _reason(name: str, taken: Container[str]) -> str:
    if not re.fullmatch(r"[a-z](\w*[a-z0-9])?", name, re.ASCII):
        return (
            "it must begin with a letter from a to z and go on with such letters, digits and single dashes or "
            "underscores, as in soft-clip"
        )
    if len(name) > LONGEST:
        return f"it has {len(name)} letters; the limit is {LONGEST}"
    if keyword.iskeyword(name) or hasattr(builtins, name):
        return f"{name} means something in Python; choose another word, such as my_{name}"
    if name in NOTATION:
        return f"{name} is a word of the notation; choose another one, such as my_{name}"
    if name in _USED:
        return f"the new module imports {name}; choose another word, such as my_{name}"
    if name in taken:
        return f"there is a builtin {name} already (opbook show {name}); choose another word, such as my_{name}"
    if name in sys.stdlib_module_names or importlib.util.find_spec(name):
        return f"a file of that name would hide the module {name}; choose another word, such as my_{name}"
    if importlib.util.find_spec(f"opbook_{name}"):
        return f"a package opbook_{name} is installed already; choose another word, such as my_{name}"
    return ""

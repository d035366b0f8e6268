"""The line with which a reader begins a function of their own, to be held to a builtin."""

from opbook.pages.page import BuiltinPage, Input

_IN_PYTHON = {"true": "True", "false": "False", "": "None"}


def signature_of_yours(page: BuiltinPage) -> str:
    """Write the line for the first call shape of a builtin: what is required by position, options by name."""
    inputs = page.calls[0].inputs
    required = [one.name for one in inputs if not one.optional]
    options = [_option(one) for one in inputs if one.optional]
    names = ", ".join([*required, *(["*", *options] if options else [])])
    return f"def my_{page.name}({names}):"


def _option(one: Input) -> str:
    return f"{one.name}={_IN_PYTHON.get(one.default, one.default)}"

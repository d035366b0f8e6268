"""Reference texts that are made from the code itself; a page asks for one with a comment, `<!-- opbook: cli -->`."""

import inspect
import re
from collections.abc import Callable
from typing import Any

from opbook.autodiff.derivatives.refusals import surface
from opbook.errors import OpbookError, nearest
from opbook.pages.addresses import Addresses, between


def differentiable_numpy() -> str:
    """NumPy's public functions in a table, with what becomes of them on a tape, and those that take no arrays."""
    rows = [(name, what, why) for name, what, why in surface() if what != "no arrays"]
    counts = {kind: sum(what == kind for _, what, _ in rows) for kind in ("differentiated", "constant", "refused")}
    table = "\n".join(f"| `{name}` | {what} | {why} |" for name, what, why in rows)
    others = [name for name, what, _ in surface() if what == "no arrays"]
    return (
        f"{counts['differentiated']} functions are differentiated, {counts['constant']} are constant and "
        f"{counts['refused']} refused.\n\n"
        f"| function | on a tape | why, and what to write |\n| --- | --- | --- |\n{table}\n\n"
        "## Functions that take no array to differentiate\n\n"
        f"They make arrays, or ask about types, files and settings.\n\n{_listed(others)}\n"
    )


def command_line() -> str:
    """The command line, with a section for each command."""
    from opbook.cli import main  # Here, because it needs the extra opbook[cli].

    return "\n\n".join(_command(main, ("opbook",))) + "\n"


def filled(text: str, here: str, addresses: Addresses) -> str:
    """Put the reference texts into a page that a comment in it asks for.

    Raises:
        OpbookError: It asks for one that there is not.
    """

    def made(comment: re.Match[str]) -> str:
        name = comment[1]
        if name == "builtins":
            links = (f"- [`{op}`]({between(here, uri)}#builtin-{op})" for op, uri in addresses.builtins.items())
            return "\n".join(links) + "\n{ .ob-names }"
        if name not in FRAGMENTS:
            known = ["builtins", *FRAGMENTS]
            raise OpbookError(
                f"{here}: there is no reference text {name!r} to put in a page.{nearest(name, known)} "
                f"There are {', '.join(known)}"
            )
        return FRAGMENTS[name]()

    return _ASKED.sub(made, text)


FRAGMENTS: dict[str, Callable[[], str]] = {"differentiable-numpy": differentiable_numpy, "cli": command_line}
"""What can be asked for, by name, beside the list of the builtins."""

_ASKED = re.compile(r"^<!-- opbook: ([\w-]+) -->[ \t]*$", re.MULTILINE)


def _listed(names: list[str]) -> str:
    return "\n".join(f"- `{name}`" for name in names) + "\n{ .ob-names }"


def _command(command: Any, words: tuple[str, ...]) -> list[str]:
    """A command's usage, help and options, then those of its subcommands; everything is read from click."""
    import click

    context = click.Context(command, info_name=words[-1], parent=_parent(words))
    usage = " ".join([*words, *command.collect_usage_pieces(context)])
    parts = [f"{'#' * (len(words) + 1)} {' '.join(words)}", f"```text\n{usage}\n```"]
    if command.help:
        parts.append(_help(command.help))
    options = [_option(parameter, context) for parameter in command.get_params(context)]
    parts.append("\n".join(option for option in options if option))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                parts += _command(inner, (*words, name))
    return [part for part in parts if part]


def _parent(words: tuple[str, ...]) -> Any:
    import click

    return click.Context(click.Group(), info_name=" ".join(words[:-1])) if len(words) > 1 else None


def _help(text: str) -> str:
    """A help text; paragraphs that click keeps as they are become code."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    kept = []
    for paragraph in paragraphs:
        if not paragraph.startswith("\b\n"):
            kept.append(_plain(paragraph))
            continue
        lines = paragraph.removeprefix("\b\n").splitlines()
        if lines and not lines[0].startswith(" ") and lines[0].endswith(":"):
            kept.append(lines.pop(0))
        kept.append("```text\n" + inspect.cleandoc("\n" + "\n".join(lines)) + "\n```")
    return "\n\n".join(kept)


def _option(parameter: Any, context: Any) -> str:
    record = parameter.get_help_record(context)
    if record is None:
        return ""
    names, text = record
    return f"- `{names}` {_plain(text)}"


def _plain(text: str) -> str:
    """A text in which names such as `__array__` are not taken for bold."""
    return text.replace("__", r"\_\_")

"""Reference texts that are made from the code itself; a page asks for one with a comment, `<!-- opbook: cli -->`."""

import inspect
from collections.abc import Callable
from typing import Any

from opbook.autodiff.derivatives.refusals import surface
from opbook.plugins.catalogue import catalogue


def differentiable_numpy() -> str:
    """List NumPy's public functions with what becomes of them on a tape.

    Returns:
        A table, and the names of those that take no arrays, as Markdown.
    """
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
    """Describe the command line.

    Returns:
        A section for each command as Markdown.
    """
    from opbook.cli import main  # Here, because it needs the extra opbook[cli].

    return "\n\n".join(_command(main, ("opbook",))) + "\n"


def builtins() -> str:
    """List the builtins that are installed.

    Returns:
        A list as Markdown, with links that mkdocstrings resolves to their pages.
    """
    names = [
        f'- <autoref optional identifier="opbook.ops.{name}"><code>{name}</code></autoref>' for name in catalogue()
    ]
    return "\n".join(names) + "\n{ .ob-names }\n"


FRAGMENTS: dict[str, Callable[[], str]] = {
    "differentiable-numpy": differentiable_numpy,
    "cli": command_line,
    "builtins": builtins,
}
"""What can be asked for, by name."""


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

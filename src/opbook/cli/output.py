"""Printing: styled and fitted to the window in a terminal, plain and uncut in a pipe."""

import json
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from opbook.cli.formulas import FORMULA, readable
from opbook.figures import Figure
from opbook.figures.terminal import WIDEST, can_write_blocks, render
from opbook.pages.markdown import parts

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#])")


def console(*, stderr: bool = False) -> Console:
    """Make a console for the output of now.

    Returns:
        One that takes text as it is: no markup, no emoji codes, no guessed highlights.
    """
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def print_line(text: str = "", style: str = "") -> None:
    """Print a line."""
    out = console()
    out.print(Text(text, style), soft_wrap=not out.is_terminal)


def print_columns(rows: Iterable[tuple[str, str]], indent: int = 2) -> None:
    """Print names with a text behind each, aligned."""
    rows = list(rows)
    out = console()
    if out.is_terminal:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, style="cyan")
        table.add_column(overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        out.print(Padding(table, (0, 0, 0, indent)))
        return
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        click.echo(f"{'':{indent}}{name:{width}}  {text}".rstrip())


def figure_text(figure: Figure) -> str:
    """Draw a figure as characters, no wider than the window."""
    return render(figure, min(console().width, WIDEST) - 4, blocks=can_write_blocks(sys.stdout))


def print_markdown(text: str) -> None:
    """Print a page: rendered in a terminal, as it was written in a pipe, with formulas that one can read."""
    out = console()
    if out.is_terminal:
        out.print(Markdown(_outside_code(text, _shielded), hyperlinks=False), width=min(out.width, 100))
    else:
        click.echo(_outside_code(text, readable))


def _shielded(text: str) -> str:
    return FORMULA.sub(lambda math: _SPECIAL.sub(r"\\\1", readable(math[0])), text)


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(part) if is_text else part for part, is_text in parts(text))


def print_json(value: Any) -> None:
    """Print a value as JSON, in ASCII so that no encoding can break it.

    Args:
        value: What to print; paths become text.
    """
    click.echo(json.dumps(value, indent=2, default=str, allow_nan=False))

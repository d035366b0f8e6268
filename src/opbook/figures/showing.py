"""Where a figure goes: to whoever captures figures around it, else as characters to standard output."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from opbook.figures.figure import Figure
from opbook.figures.terminal import WIDEST, can_write_blocks, render

_captured: ContextVar[list[Figure] | None] = ContextVar("opbook_captured_figures", default=None)


def show(figure: Figure) -> None:
    """Show a figure; every builtin that draws calls it.

    Args:
        figure: The figure. Inside [`capture`][opbook.figures.capture] it is kept; elsewhere it is printed as
            characters, as wide as the terminal allows.
    """
    figures = _captured.get()
    if figures is not None:
        figures.append(figure)
        return
    width = min(shutil.get_terminal_size().columns, WIDEST)
    print(render(figure, width, blocks=can_write_blocks(sys.stdout)))


@contextmanager
def capture() -> Iterator[list[Figure]]:
    """Keep the figures that are drawn in a `with` block, by this thread or task, instead of printing them.

    Yields:
        The list that they are added to, in order. Where blocks nest, the innermost gets them.
    """
    figures: list[Figure] = []
    token = _captured.set(figures)
    try:
        yield figures
    finally:
        _captured.reset(token)

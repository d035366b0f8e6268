"""Figures as SVG, for a page."""

import json
from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from opbook.figures.drawing import FONT, INK, Drawing, escaped
from opbook.figures.figure import Figure


def svg(figure: Figure, ids: str = "figure") -> str:
    """Draw a figure for a page.

    Args:
        figure: The figure.
        ids: What the ids in it begin with. On a page that has several figures, each needs another beginning.

    Returns:
        An `svg` element in one line: in the page's font and colours, light or dark, no wider than the page, with a
        title and a description, and the same whenever and wherever it is drawn.
    """
    drawing = Drawing()
    figure.draw(drawing)
    left, top, width, height = drawing.box
    kind = type(figure).__name__
    title = f"{kind}: {figure.title}" if figure.title else kind
    cells = f" data-cells={quoteattr(_json(figure.cells))}" if figure.cells else ""
    return (
        f'<svg viewBox="{left} {top} {width} {height}" width="{width}" style="max-width:100%;height:auto" '
        f'font-size="{FONT}" fill="{INK}" role="img" aria-labelledby="{ids}-title {ids}-desc"{cells}>'
        f'<title id="{ids}-title">{escaped(title)}</title><desc id="{ids}-desc">{escaped(figure.description)}</desc>'
        f"{drawing.elements}</svg>"
    )


def _json(cells: Mapping[str, object]) -> str:
    text = json.dumps(cells, separators=(",", ":"), ensure_ascii=False)
    text = text.replace("'", "\\u0027")  # so that an attribute in such quotes needs no other escapes
    return "".join(letter for letter in text if letter.isprintable())

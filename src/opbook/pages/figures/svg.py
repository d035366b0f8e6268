"""A figure as SVG for a page."""

from xml.sax.saxutils import escape

from opbook.figures import Bars, Figure, Heatmap
from opbook.pages.figures.bars import draw_rows
from opbook.pages.figures.canvas import FONT, drawing
from opbook.pages.figures.lines import draw_plot
from opbook.pages.figures.matrix import draw_matrix

IDS = "@figure@"
"""What the ids in a picture begin with until it has a place on a page."""


def to_svg(figure: Figure) -> str:
    """Draw a figure.

    Args:
        figure: The figure.

    Returns:
        An `svg` element on one line, to be put into a page: in the page's colours and font, with a title and a
        description, and the same whenever and wherever it is drawn.

    Raises:
        NoMatplotlibError: There is no Matplotlib.
    """
    with drawing():
        if isinstance(figure, Heatmap):
            sheet = draw_matrix(figure)
        elif isinstance(figure, Bars):
            sheet = draw_rows(figure)
        else:
            sheet = draw_plot(figure)
        elements = sheet.elements()
    kind = type(figure).__name__
    title = f"{kind}: {figure.title}" if figure.title else kind
    return (
        f'<svg viewBox="0 0 {sheet.width} {sheet.height}" width="{sheet.width}" font-size="{FONT}" fill="currentColor" '
        f'role="img" aria-labelledby="{IDS}title {IDS}desc"><title id="{IDS}title">{escape(title)}</title>'
        f'<desc id="{IDS}desc">{escape(figure.description)}</desc>{elements}</svg>'
    )

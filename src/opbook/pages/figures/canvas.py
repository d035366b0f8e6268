"""A sheet for Matplotlib to draw on: measured in pixels, with nothing on it, the same on every machine."""

import functools
import io
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opbook.errors import OpbookError
from opbook.pages.figures.colours import INK
from opbook.pages.figures.tidy import tidy

FONT = 12
"""The size of all text, in pixels."""

LETTER = 0.58 * FONT
"""How wide a letter is, about: the font is the reader's, so nobody knows."""

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text, in the page's font
    "svg.hashsalt": "opbook",
    "font.size": FONT,
    "text.parse_math": False,  # a dollar is a dollar
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "path.snap": False,
}


class NoMatplotlibError(OpbookError, ImportError):
    """Matplotlib is not installed."""


@contextmanager
def drawing() -> Iterator[None]:
    """Use Matplotlib with its own defaults and ours, whatever a user has configured."""
    try:
        import matplotlib
    except ImportError:
        raise NoMatplotlibError(
            "the examples draw figures, which need Matplotlib on a page: pip install 'opbook[site]', or set the "
            "plugin's option figures to false"
        ) from None
    logger = logging.getLogger("matplotlib.font_manager")  # the fonts it has do not matter
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with matplotlib.rc_context():
            settings: Any = matplotlib.rcParams
            dict.update(settings, _settings())  # its own `update` would check each of them once more
            yield
    finally:
        logger.setLevel(level)


@functools.cache
def _settings() -> dict[str, Any]:
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(_SETTINGS)
        return dict.copy(settings)


def label(axes: Any, side: str, labels: Mapping[float, str]) -> None:
    """Write along one side of axes. Matplotlib's ticks have more to them, and take as long as all the rest.

    Args:
        axes: The axes.
        side: `"left"`, `"right"`, `"top"` or `"bottom"`.
        labels: The texts by the place that they belong to.
    """
    box = axes.get_window_extent()
    pad_x, pad_y = 6 / box.width, 8 / box.height
    for place, text in labels.items():
        if side in ("left", "right"):
            x, alignment = (-pad_x, "right") if side == "left" else (1 + pad_x, "left")
            axes.text(x, place, text, transform=axes.get_yaxis_transform(), ha=alignment, va="center_baseline")
        else:
            y, alignment = (-pad_y, "top") if side == "bottom" else (1 + pad_y, "bottom")
            axes.text(place, y, text, transform=axes.get_xaxis_transform(), ha="center", va=alignment)


class Sheet:
    """A sheet of some size.

    Attributes:
        width: In pixels.
        height: In pixels.
    """

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.figure import Figure

        self.width, self.height = round(width), round(height)
        self._figure = Figure(figsize=(self.width / 72, self.height / 72), dpi=72)
        self._figure.patch.set_visible(False)

    def axes(self, left: float, top: float, width: float, height: float) -> Any:
        """Put axes on it.

        Args:
            left: Where they begin, from the left.
            top: Where they begin, from the top.
            width: How wide they are.
            height: How high they are.

        Returns:
            Matplotlib's axes, without a background, lines and ticks.
        """
        bottom = self.height - top - height
        place = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        axes = self._figure.add_axes(place)
        axes.set_axis_off()
        return axes

    def elements(self) -> str:
        """Write what has been drawn as SVG elements."""
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        file = io.StringIO()
        FigureCanvasSVG(self._figure).print_svg(file, metadata={"Date": None})  # type: ignore[no-untyped-call]
        return tidy(file.getvalue())

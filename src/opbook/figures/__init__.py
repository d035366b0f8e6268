"""Figures: what a builtin draws, as plain data, and where it goes. Nothing here knows how a page shows them."""

from opbook.figures.model import Bars, Figure, Heatmap, Line, Plot
from opbook.figures.showing import capture, show

__all__ = ["Bars", "Figure", "Heatmap", "Line", "Plot", "capture", "show"]

"""Figures: what a builtin draws, as plain data, and how it looks as characters and as SVG.

One module is one kind of figure. Nothing here knows a page, a site or a builtin.
"""

from opbook.figures.bars import Bars
from opbook.figures.figure import Figure
from opbook.figures.heatmap import Heatmap, Switches
from opbook.figures.plot import Line, Plot
from opbook.figures.showing import capture, show

__all__ = ["Bars", "Figure", "Heatmap", "Line", "Plot", "Switches", "capture", "show"]

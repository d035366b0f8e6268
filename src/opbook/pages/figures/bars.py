"""Numbers as bars: one row for each, with its label before it and the number behind."""

import math

from opbook.figures import Bars
from opbook.figures.numbers import finite, short, span_from_zero
from opbook.pages.figures.canvas import FONT, LETTER, Sheet
from opbook.pages.figures.colours import COLD, HOT, INK

WIDTH = 325
ROW = 27
LONGEST = 22


def draw_rows(figure: Bars) -> Sheet:
    """Draw a bar for each number.

    Args:
        figure: The numbers.

    Returns:
        The sheet.
    """
    count = len(figure.values)
    low, high = span_from_zero(figure.values, figure.limit)
    largest = max(map(abs, finite(figure.values)), default=0.0)
    names = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in figure.labels]
    names = names or [str(i) for i in range(count)]
    texts = [short(value, largest).replace("-", "−") for value in figure.values]
    left = 10 + LETTER * max(map(len, names))
    tail = 8 + LETTER * max(map(len, texts))
    before = tail if low < 0 else 0
    sheet = Sheet(WIDTH, ROW * count + 4)
    axes = sheet.axes(left + before, 2, WIDTH - left - before - tail, ROW * count)
    axes.set(xlim=(low, high if high > low else 1.0), ylim=(count, 0))
    unit = ((high - low) or 1.0) / (WIDTH - left - before - tail)
    for i, (name, value, text) in enumerate(zip(names, figure.values, texts, strict=True)):
        baseline = i + 0.5 + 0.35 * FONT / ROW
        if math.isfinite(value) and value:
            axes.barh(i + 0.5, value, height=0.68, color=HOT if value > 0 else COLD, clip_on=False)
        behind = value < 0 and math.isfinite(value)
        end = value if math.isfinite(value) else 0.0
        axes.text(end - 6 * unit if behind else end + 6 * unit, baseline, text, ha="right" if behind else "left")
        axes.text(low - (before + 8) * unit, baseline, name, ha="right")
    axes.axvline(0, color=INK, linewidth=1, alpha=0.6, clip_on=False)
    return sheet

"""Draws a trace as SVG, in the colour of the text around it."""

import html
from collections.abc import Iterator

import numpy as np

from opbook.pages.tape.layout import Box, Point, arrange
from opbook.pages.tape.tracing import Step, Trace

MOST_ROWS, MOST_COLUMNS = 4, 4
"""Larger arrays are shown as far as this, with an ellipsis."""

CHARACTER, NAME_CHARACTER, LINE = 6.7, 7.3, 15.0
WIDE = 130.0
PADDING, HEADER, MARK, MARGIN = 10.0, 24.0, 15.0, 3.0


def draw(trace: Trace, name: str) -> str:
    """Draw a trace.

    Args:
        trace: The trace.
        name: The builtin, for the title and the ids of the picture.
    """
    cards = [_Card(step) for step in trace.steps]
    layout = arrange([step.parents for step in trace.steps], [(card.width, card.height) for card in cards])
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    marks = f"tape-{name}"
    parts = [
        f'<svg class="ob-tape-picture" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" style="--ob-width:{width:.0f}px" '
        f'role="img" aria-labelledby="{marks}-title {marks}-text">',
        f'<title id="{marks}-title">The tape of {html.escape(name)} on a small example</title>',
        f'<desc id="{marks}-text">{html.escape(describe(trace))}</desc>',
        f'<g transform="translate({MARGIN:g} {MARGIN:g})" fill="currentColor">',
        '<g fill="none" stroke="currentColor" stroke-opacity="0.45">',
        *(f'<path d="{_line(points)}"/>' for points in layout.lines),
        "</g>",
        *(part for card, box in zip(cards, layout.boxes, strict=True) for part in card.drawn(box)),
        "</g>",
        "</svg>",
    ]
    return "".join(parts)


def describe(trace: Trace) -> str:
    """Say in words what the picture shows."""
    number = 0
    labels: list[str] = []
    sentences: list[str] = []
    for step in trace.steps:
        if step.is_input:
            labels.append(step.name)
            continue
        number += 1
        labels.append(f"step {number}")
        of = " and ".join(labels[parent] for parent in step.parents)
        result = ", the result" if step.is_result else ""
        sentences.append(f"Step {number}{result}: {step.name} of {of}, {_kind(step)}.")
    inputs = ", ".join(f"{step.name} {_kind(step)}" for step in trace.steps if step.is_input)
    return f"Inputs: {inputs}. {' '.join(sentences)}"


class _Card:
    """What is written on the box of one step."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.shape = _shape(step)
        self.value = _rows(step.value)
        self.cotangent = _rows(step.cotangent)
        longest = max(len(row) for row in (*self.value, *self.cotangent))
        name = len(step.name) * NAME_CHARACTER
        inner = max(name, MARK + longest * CHARACTER, len(self.shape) * CHARACTER)
        both = name + (len(self.shape) + 2) * CHARACTER
        self.is_tall = both > max(inner, WIDE)  # the shape stands below the name rather than make the card wide
        self.header = HEADER + (LINE if self.is_tall else 0)
        self.width = 2 * PADDING + (inner if self.is_tall else max(inner, both))
        self.height = self.header + LINE * (len(self.value) + len(self.cotangent)) + 1.6 * PADDING

    def drawn(self, box: Box) -> Iterator[str]:
        kind = "input" if self.step.is_input else "result" if self.step.is_result else "step"
        dashes = ' stroke-dasharray="4 3"' if self.step.is_input else ""
        weight = 2 if self.step.is_result else 1
        yield (
            f'<g class="ob-tape-{kind}" transform="translate({box.x:.1f} {box.y:.1f})">'
            f'<rect class="ob-tape-card" width="{box.width:.1f}" height="{box.height:.1f}" rx="6" fill="none" '
            f'stroke="currentColor" stroke-opacity="0.6" stroke-width="{weight}"{dashes}/>'
        )
        yield f'<text class="ob-tape-name" x="{PADDING:g}" y="17">{html.escape(self.step.name)}</text>'
        place = f'x="{PADDING:g}" y="32"' if self.is_tall else f'x="{box.width - PADDING:.1f}" y="17" text-anchor="end"'
        yield f'<text class="ob-tape-shape" {place}>{html.escape(self.shape)}</text>'
        top = self.header
        for kind, mark, rows in (("value", "↓", self.value), ("cotangent", "↑", self.cotangent)):
            top += 0.4 * PADDING
            yield f'<g class="ob-tape-{kind}"><text x="{PADDING:g}" y="{top + 11:.1f}">{mark}</text>'
            for row in rows:
                top += LINE
                yield f'<text x="{PADDING + MARK:g}" y="{top - 4:.1f}">{html.escape(row)}</text>'
            yield "</g>"
        yield "</g>"


def _shape(step: Step) -> str:
    return str(np.shape(step.value)) if np.shape(step.value) else "number"


def _kind(step: Step) -> str:
    return f"of shape {_shape(step)}" if np.shape(step.value) else "a number"


def _rows(array: np.ndarray) -> list[str]:
    """The lines of an array, its columns aligned; more axes than two are written below each other."""
    if not array.size:
        return ["no entries"]
    lines = np.reshape(array, (-1, array.shape[-1])) if array.ndim else np.reshape(array, (1, 1))
    shown = [[number(entry) for entry in line[:MOST_COLUMNS]] for line in lines[:MOST_ROWS]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    rows = ["  ".join(entry.rjust(width) for entry, width in zip(line, widths, strict=True)) for line in shown]
    if lines.shape[1] > MOST_COLUMNS:
        rows = [f"{row}  …" for row in rows]
    return [*rows, *(["…"] if len(lines) > MOST_ROWS else [])]


def number(value: float) -> str:
    """Write a number in few characters.

    Returns:
        It with two decimals, or as a power of ten if that would hide what it is. Rounding noise is 0.
    """
    value = float(value)
    if abs(value) < 1e-12:
        return "0"
    if not np.isfinite(value):
        return str(value)
    if abs(value) < 0.005 or abs(value) >= 10000:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e").replace("-", "−")
    text = f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:.0f}"
    return text.replace("-", "−")


def _line(points: tuple[Point, ...]) -> str:
    """A smooth line that leaves and arrives straight down, with an arrow at its end."""
    (x, y), *rest = points
    path = f"M{x:.1f} {y:.1f}"
    for to_x, to_y in rest:
        if abs(to_x - x) < 0.05:
            path += f"V{to_y:.1f}"
        else:
            middle = (y + to_y) / 2
            path += f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
    return f"{path}m-3.5-5 3.5 5 3.5-5"

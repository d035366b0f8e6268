"""Draws a trace as SVG, in the colour of the text around it."""

import html
from collections.abc import Iterator

import numpy as np

from opbook.pages.tape.layout import Box, Point, arrange
from opbook.pages.tape.tracing import Step, Trace
from opbook.pages.tape.values import rows, shape

MOST_CODE = 28
"""What is written on a box is cut at as many characters; all of it stands in the tooltip and in the list."""

CHARACTER, NAME_CHARACTER, LINE = 6.7, 7.3, 15.0
WIDE = 130.0
PADDING, HEADER, MARK, MARGIN = 10.0, 24.0, 15.0, 3.0


def draw(trace: Trace, name: str) -> str:
    """Draw a trace.

    Args:
        trace: The trace.
        name: The builtin, for the title and the ids of the picture.
    """
    steps = trace.as_written()
    cards = [_Card(step) for step in steps]
    layout = arrange([step.parents for step in steps], [(card.width, card.height) for card in cards])
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
    steps = trace.as_written()
    inputs = ", ".join(sentence(step) for step in steps if step.is_input)
    computed = (step for step in steps if not step.is_input)
    sentences = (f"Step {number}: {sentence(step)}." for number, step in enumerate(computed, 1))
    return f"Inputs: {inputs}. {' '.join(sentences)}"


def sentence(step: Step) -> str:
    """Say what a step is."""
    parts = " = ".join(filter(None, (step.title, step.note)))
    within = f" in {step.within}" if step.within else ""
    return f"{parts}{within}, {f'of shape {shape(step.value)}' if np.shape(step.value) else 'a number'}"


class _Card:
    """What is written on the box of one step."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.title, self.note = _cut(step.title), _cut(step.note)
        self.shape = shape(step.value)
        self.value = rows(step.value)
        self.cotangent = rows(step.cotangent)
        longest = max(len(row) for row in (*self.value, *self.cotangent))
        name = len(self.title) * NAME_CHARACTER
        inner = max(name, MARK + longest * CHARACTER, len(self.note) * CHARACTER, len(self.shape) * CHARACTER)
        both = name + (len(self.shape) + 2) * CHARACTER
        self.is_tall = both > max(inner, WIDE)  # the shape stands below the name rather than make the card wide
        self.header = HEADER + LINE * (self.is_tall + bool(self.note))
        self.width = 2 * PADDING + (inner if self.is_tall else max(inner, both))
        self.height = self.header + LINE * (len(self.value) + len(self.cotangent)) + 1.6 * PADDING

    def drawn(self, box: Box) -> Iterator[str]:
        dashes = ' stroke-dasharray="4 3"' if self.step.is_input else ""
        weight = 2 if self.step.is_result else 1
        yield (
            f'<g class="ob-tape-{self.step.kind}" transform="translate({box.x:.1f} {box.y:.1f})">'
            f"<title>{html.escape(sentence(self.step))}</title>"
            f'<rect class="ob-tape-card" width="{box.width:.1f}" height="{box.height:.1f}" rx="6" fill="none" '
            f'stroke="currentColor" stroke-opacity="0.6" stroke-width="{weight}"{dashes}/>'
        )
        yield f'<text class="ob-tape-name" x="{PADDING:g}" y="17">{html.escape(self.title)}</text>'
        place = f'x="{PADDING:g}" y="32"' if self.is_tall else f'x="{box.width - PADDING:.1f}" y="17" text-anchor="end"'
        yield f'<text class="ob-tape-shape" {place}>{html.escape(self.shape)}</text>'
        if self.note:
            y = self.header - 7
            yield f'<text class="ob-tape-note" x="{PADDING:g}" y="{y:g}">{html.escape(self.note)}</text>'
        top = self.header
        for kind, mark, lines in (("value", "↓", self.value), ("cotangent", "↑", self.cotangent)):
            top += 0.4 * PADDING
            yield f'<g class="ob-tape-{kind}"><text x="{PADDING:g}" y="{top + 11:.1f}">{mark}</text>'
            for row in lines:
                top += LINE
                yield f'<text x="{PADDING + MARK:g}" y="{top - 4:.1f}">{html.escape(row)}</text>'
            yield "</g>"
        yield "</g>"


def _cut(code: str) -> str:
    return code if len(code) <= MOST_CODE else f"{code[: MOST_CODE - 1]}…"


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

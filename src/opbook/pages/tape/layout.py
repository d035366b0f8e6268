"""Where the boxes of a graph go: from top to bottom as a formula is read, so that no line runs through a box.

Each box stands right above the first that needs it, and what a box is computed from stands above it in the order in
which it is written. A line that passes a row without stopping takes up a narrow place of its own in it.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

GAP, ROW_GAP, PASSAGE = 18.0, 28.0, 6.0
CENTRING = 60
"""How often the rows are gone through at most."""

SETTLED = 0.01
"""Places that move less than this, in pixels, have found their place."""

STRAIGHT = 8.0
"""How much more a line that passes rows wants to be straight than a box wants to stand below another."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A box that has its place.

    Attributes:
        x: Its left edge.
        y: Its top.
        width: Its width.
        height: Its height.
    """

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """A graph whose boxes have their places.

    Attributes:
        boxes: The boxes.
        lines: For each line the points that it goes through, from the bottom of a box to the top of another.
        width: The width of all.
        height: The height of all.
    """

    boxes: tuple[Box, ...]
    lines: tuple[tuple[Point, ...], ...]
    width: float
    height: float


@dataclass
class _Place:
    """Something that has a place in a row: a box, or the passage of a line."""

    box: int
    row: int
    width: float
    is_passage: bool = False
    order: int = 0
    centre: float = 0.0

    def __post_init__(self) -> None:
        self.above: list[_Place] = []
        self.below: list[_Place] = []


def arrange(parents: Sequence[Sequence[int]], sizes: Sequence[tuple[float, float]]) -> Layout:
    """Find places for the boxes of a graph.

    Args:
        parents: For each box those that it depends on, which come before it.
        sizes: For each box its width and height.
    """
    places, rows, chains = _places(parents, [width for width, _ in sizes])
    _order(rows)
    _set_centres(rows)
    left = min(place.centre - place.width / 2 for row in rows for place in row)
    heights = [max(sizes[p.box][1] for p in row if not p.is_passage) for row in rows]
    tops = [sum(heights[:i]) + ROW_GAP * i for i in range(len(rows))]

    boxes = tuple(
        Box(place.centre - place.width / 2 - left, tops[place.row], *size)
        for place, size in zip(places, sizes, strict=True)
    )
    lines = []
    for child, above in enumerate(parents):
        for i, parent in enumerate(sorted(set(above), key=lambda p: places[p].centre)):
            passed = [place for place in chains[parent] if place.row < places[child].row]
            entry = boxes[child].x + boxes[child].width / 2 + 14 * (i - (len(set(above)) - 1) / 2)
            points = [(places[parent].centre - left, boxes[parent].y + boxes[parent].height)]
            if boxes[parent].height < heights[places[parent].row]:  # past its taller neighbours
                points.append((points[0][0], tops[places[parent].row] + heights[places[parent].row]))
            for place in passed:
                points += [(place.centre - left, tops[place.row] + at) for at in (0.0, heights[place.row])]
            lines.append((*points, (entry, boxes[child].y)))
    width = max(box.x + box.width for box in boxes)
    return Layout(boxes, tuple(lines), width, tops[-1] + heights[-1])


def _rows(parents: Sequence[Sequence[int]]) -> list[int]:
    """For each box its row, counted from the top."""
    heights = [0] * len(parents)  # rows below it
    for box in reversed(range(len(parents))):
        for parent in parents[box]:
            heights[parent] = max(heights[parent], heights[box] + 1)
    return [max(heights) - height for height in heights]


def _places(
    parents: Sequence[Sequence[int]], widths: Sequence[float]
) -> tuple[list[_Place], list[list[_Place]], list[list[_Place]]]:
    """The places of boxes, those in each row, and for each box the passages of what leaves it."""
    at = _rows(parents)
    places = [_Place(box, row, width) for box, (row, width) in enumerate(zip(at, widths, strict=True))]
    rows: list[list[_Place]] = [[] for _ in range(max(at) + 1)]
    for place in places:
        rows[place.row].append(place)
    chains: list[list[_Place]] = []
    for box, place in enumerate(places):
        last = max((at[child] for child, above in enumerate(parents) if box in above), default=0)
        chain = [_Place(box, row, PASSAGE, is_passage=True) for row in range(at[box] + 1, last)]
        for upper, lower in itertools.pairwise([place, *chain]):
            _join(upper, lower)
            rows[lower.row].append(lower)
        chains.append(chain)
    for child, above in enumerate(parents):
        for box in dict.fromkeys(above):
            _join([places[box], *chains[box]][at[child] - at[box] - 1], places[child])
    return places, rows, chains


def _join(above: _Place, below: _Place) -> None:
    above.below.append(below)
    below.above.append(above)


def _order(rows: list[list[_Place]]) -> None:
    """Sort each row, from the bottom up, by what its places are needed for, and by where they are written there."""
    for row in reversed(rows):
        row.sort(key=_wish)
        for i, place in enumerate(row):
            place.order = i


def _wish(place: _Place) -> float:
    """Where a place would stand if it were alone: above the middle of what needs it, as a part of each."""
    parts = [(one.above.index(place) + 0.5) / len(one.above) for one in place.below]
    wishes = [one.order + part for one, part in zip(place.below, parts, strict=True)]
    return sum(wishes) / len(wishes) if wishes else place.box


def _set_centres(rows: list[list[_Place]]) -> None:
    """Put each place as close to the middle of its neighbours as the others in its row allow."""
    offsets = [_offsets(row) for row in rows]
    pulls = [[_pulls(place) for place in row] for row in rows]
    for row, its, near in zip(rows, offsets, pulls, strict=True):
        _settle(row, its, [(0.0, total) for _, total in near])
    down = list(zip(rows, offsets, pulls, strict=True))
    for _ in range(CENTRING // 2):
        before = [place.centre for row in rows for place in row]
        for row, its, near in (*down, *reversed(down)):
            _settle(row, its, [(sum(n.centre * weight for n, weight in one) / total, total) for one, total in near])
        after = [place.centre for row in rows for place in row]
        if all(abs(old - new) < SETTLED for old, new in zip(before, after, strict=True)):
            break


def _pulls(place: _Place) -> tuple[list[tuple[_Place, float]], float]:
    """The neighbours that a place wants to be in the middle of, each with its weight, and the sum of the weights."""
    near = [(n, STRAIGHT if n.is_passage and place.is_passage else 1.0) for n in (*place.above, *place.below)]
    return near, sum(weight for _, weight in near)


def _offsets(row: list[_Place]) -> list[float]:
    """How far from the first one the centres in a row are at least."""
    offsets = [0.0]
    for left, right in itertools.pairwise(row):
        offsets.append(offsets[-1] + (left.width + right.width) / 2 + GAP)
    return offsets


def _settle(row: list[_Place], offsets: list[float], wishes: list[tuple[float, float]]) -> None:
    """The centres closest to the wishes, each with its weight (by the sum of squares), that keep order and gaps."""
    if len(row) == 1:
        row[0].centre = wishes[0][0]
        return
    blocks: list[tuple[float, float, int]] = []  # of places that touch: sum of wishes, sum of weights, how many
    for (wish, weight), offset in zip(wishes, offsets, strict=True):
        block = ((wish - offset) * weight, weight, 1)
        while blocks and blocks[-1][0] / blocks[-1][1] >= block[0] / block[1]:
            total, weights, count = blocks.pop()
            block = (total + block[0], weights + block[1], count + block[2])
        blocks.append(block)
    starts = [total / weights for total, weights, count in blocks for _ in range(count)]
    for place, start, offset in zip(row, starts, offsets, strict=True):
        place.centre = start + offset

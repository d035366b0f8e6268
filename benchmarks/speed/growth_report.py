"""The growth of costs as a page and as a picture, both the same whenever they are made from the same numbers."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from speed.chart import caption, marker, svg
from speed.growth import CURVES, Point

PANEL, ROOM, COLUMNS = 180, 56, 3
"""Pixels of a panel's side and around it, and how many panels stand side by side."""

KINDS = (("seconds", "opbook", "time"), ("mebibytes", "torch", "memory"))
"""What is drawn in each panel: the number, the colour's name, and what it is called."""

GOALS = (
    ("rows", 8192, "mebibytes", 32.0, "memory of 8,192 rows", "MiB"),
    ("rows", 65536, "process", 1024.0, "the process with 65,536 rows", "MiB"),
)


def exponent(points: Sequence[Point], number: str) -> float:
    """How a cost grows in the end: 1 is in proportion, 2 with the square.

    Args:
        points: The curve.
        number: Which cost.

    Returns:
        The power of the amount that leads from the point in the middle to the last one.
    """
    first, last = points[len(points) // 2], points[-1]
    if first is last or not first[number] or not last[number]:  # type: ignore[literal-required]
        return math.nan
    return math.log(last[number] / first[number]) / math.log(last["size"] / first["size"])  # type: ignore[literal-required]


def as_markdown(results: dict[str, Any]) -> str:
    """Lay the curves out as a page.

    Args:
        results: What was measured.

    Returns:
        The page.
    """
    facts = "\n".join(f"- {name}: {fact}" for name, fact in results["machine"].items())
    parts = [_INTRODUCTION, facts, *_goals(results["curves"])]
    for curve in CURVES:
        if points := results["curves"].get(curve.name):
            head = f"## {curve.name.capitalize()}\n\n{curve.what.capitalize()}. Time grows with the power "
            head += (
                f"{exponent(points, 'seconds'):.2f} of it in the end, memory with {exponent(points, 'mebibytes'):.2f}."
            )
            table = ["| amount | milliseconds | MiB | MiB of the process |", "| --- | --- | --- | --- |"]
            table += [
                f"| {p['size']:,} | {_number(1e3 * p['seconds'])} | {_number(p['mebibytes'])} | {p['process']:,.0f} |"
                for p in points
            ]
            parts += [head, "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


_INTRODUCTION = """# How costs grow

Written by `python benchmarks/growth.py --publish` from one run: one thread, each point in a process of its own, in
seconds that the processor worked, the least of several. Memory is the peak of what is held beside the inputs; of
commands, it is the largest process. ![Curves of time and memory](../docs/assets/growth.svg)"""


def _goals(curves: dict[str, list[Point]]) -> Iterator[str]:
    lines = []
    for name, size, number, most, what, unit in GOALS:
        for point in curves.get(name, []):
            if point["size"] == size:
                got = point[number]  # type: ignore[literal-required]
                lines.append(
                    f"| {what} | {got:,.4g} {unit} | {most:,.4g} {unit} | {'met' if got <= most else 'missed'} |"
                )
    if lines:
        yield "\n".join(["| goal | measured | at most | |", "| --- | --- | --- | --- |", *lines])


def picture(results: dict[str, Any]) -> str:
    """Draw all curves, each beside what it was at the least amount, on scales on which a power is a straight line.

    Args:
        results: What was measured.

    Returns:
        The picture.
    """
    chosen = [(curve.name, results["curves"][curve.name]) for curve in CURVES if curve.name in results["curves"]]
    body: list[str] = []
    for i, (name, points) in enumerate(chosen):
        left, top = ROOM + i % COLUMNS * (PANEL + ROOM), ROOM + i // COLUMNS * (PANEL + 2 * ROOM)
        body += _panel(name, points, left, top)
    rows = -(-len(chosen) // COLUMNS)
    left, top = ROOM + len(chosen) % COLUMNS * (PANEL + ROOM), ROOM + (rows - 1) * (PANEL + 2 * ROOM)
    for j, (_, colour, word) in enumerate(KINDS):
        body += [marker(colour, left + 8, top + 20 + 24 * j), caption(left + 24, top + 25 + 24 * j, word)]
    body += [_line([(left, top + 68), (left + 16, top + 68)], "line"), caption(left + 24, top + 73, "in proportion")]
    body += [caption(left, top + 104, "times what the least"), caption(left, top + 124, "amount costs")]
    description = "; ".join(f"{name}: time with the power {exponent(p, 'seconds'):.2g}" for name, p in chosen)
    size = ROOM + COLUMNS * (PANEL + ROOM), rows * (PANEL + 2 * ROOM) + ROOM // 2
    return svg(*size, "How time and memory grow", description, body)


def _panel(name: str, points: Sequence[Point], left: int, top: int) -> Iterator[str]:
    amounts = [point["size"] / points[0]["size"] for point in points]
    curves = {
        number: [point[number] / points[0][number] for point in points]  # type: ignore[literal-required]
        for number, _, _ in KINDS
        if points[0][number]  # type: ignore[literal-required]
    }
    most = max(2.0, amounts[-1], *(max(curve) for curve in curves.values()))
    decades = max(1, math.ceil(math.log10(most)))

    def place(amount: float, times: float) -> tuple[float, float]:
        across = PANEL * math.log(amount) / math.log(max(amounts[-1], 2))
        return left + across, top + PANEL * (1 - math.log10(max(times, 0.5)) / decades)

    yield caption(left, top - 14, name)
    for power in range(decades + 1):
        y = place(1, 10**power)[1]
        yield _line([(left, y), (left + PANEL, y)], "line")
        yield caption(left - 10, y + 5, f"{10**power:,}" if power < 4 else f"10{'⁰¹²³⁴⁵⁶⁷⁸⁹'[power]}", "end")
    for point, amount, kind in ((points[0], 1, ""), (points[-1], amounts[-1], "end")):
        yield caption(place(amount, 1)[0], top + PANEL + 22, f"{point['size']:,}", kind)
    yield _line([place(1, 1), place(amounts[-1], amounts[-1])], "line")
    for number, colour, _ in KINDS:
        if number in curves:
            yield _line([place(*pair) for pair in zip(amounts, curves[number], strict=True)], "roof")
            yield from (marker(colour, *place(*pair)) for pair in zip(amounts, curves[number], strict=True))


def _line(places: Sequence[tuple[float, float]], kind: str) -> str:
    return f'<path class="{kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>'

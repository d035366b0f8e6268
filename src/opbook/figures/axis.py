"""An axis: which numbers it holds, and the round ones among them that are written at it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import inf
from sys import float_info
from typing import Self

from opbook.figures.numbers import MANTISSA_ABOVE, MANTISSA_BELOW, finite

MOST = 5
"""So many steps from tick to tick an axis has at most, apart from what it needs to end at ticks."""

SAME = 1e-12
"""Numbers that differ by no more than this part of the largest are drawn as one."""


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        low: Its lowest number.
        high: Its highest number, which is greater.
        ticks: Round numbers on it, in order.
        labels: Each of them as it is written.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    @classmethod
    def inside(cls, values: Iterable[float], room: float = inf, width_of: Callable[[str], float] = len) -> Self:
        """Make an axis that ends where the numbers end.

        Args:
            values: The numbers; those that are not finite are left out. Whole numbers have ticks at whole numbers.
            room: How long it is; its labels don't touch.
            width_of: How much of this length a text needs.
        """
        known = finite(values)
        low, high = _ends(known)
        whole = all(value % 1 == 0 for value in known)
        for most in range(MOST, 0, -1):
            step = _step(low, high, most, whole)
            axis = cls._with(low, high, step, ROUND_CEILING, ROUND_FLOOR)
            widest = max(map(width_of, axis.labels), default=0)
            if len(axis.ticks) < 3 or widest + width_of("0") <= room * (
                axis.part(axis.ticks[1]) - axis.part(axis.ticks[0])
            ):
                break
        return axis

    @classmethod
    def around(cls, values: Iterable[float]) -> Self:
        """Make an axis that ends at ticks.

        Args:
            values: The numbers; those that are not finite are left out.
        """
        low, high = _ends(finite(values))
        return cls._with(low, high, _step(low, high, MOST, False), ROUND_FLOOR, ROUND_CEILING)

    @classmethod
    def _with(cls, low: float, high: float, step: Decimal, first: str, last: str) -> Self:
        numbers = range(_count(low, step, first), _count(high, step, last) + 1)
        ticks = [step * number for number in numbers if abs(step * number) <= Decimal(float_info.max)]
        places = tuple(map(float, ticks))
        return cls(min((low, *places)), max((high, *places)), places, tuple(_labels(ticks)))

    def part(self, value: float) -> float:
        """Say how far along the axis a number is: 0 at its lowest, 1 at its highest."""
        unit = max(abs(self.low), abs(self.high))  # the difference of two large numbers may be beyond all numbers
        return (value / unit - self.low / unit) / (self.high / unit - self.low / unit)


def _ends(values: list[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    largest = max(abs(low), abs(high))
    if high - low > SAME * largest:
        return low, high
    more = largest / 2 or 1.0
    return max(low - more, -float_info.max), min(high + more, float_info.max)


def _exact(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _step(low: float, high: float, most: int, whole: bool) -> Decimal:
    """The smallest round step that goes into what is between two numbers at most so often."""
    least = (_exact(high) - _exact(low)) / most
    power = Decimal(1).scaleb(least.adjusted())
    steps = [power * factor for factor in map(Decimal, ("1", "2", "2.5", "5", "10", "20"))]
    return next(step for step in steps if step >= least and not (whole and step != step.to_integral_value()))


def _count(value: float, step: Decimal, rounding: str) -> int:
    return int((_exact(value) / step).to_integral_value(rounding))


def _labels(ticks: list[Decimal]) -> list[str]:
    """The ticks in full, as they are round: in places where other numbers are written with a mantissa, so are they."""
    largest = max(map(abs, ticks), default=Decimal(0))
    plain = not largest or MANTISSA_BELOW <= largest < MANTISSA_ABOVE
    return [_label(tick.normalize(), plain) for tick in ticks]


def _label(tick: Decimal, plain: bool) -> str:
    if not tick:
        return "0"
    return f"{tick:f}" if plain else f"{tick:e}".replace("e+", "e")

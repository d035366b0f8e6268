"""Timing that survives a machine with other work on it.

All contenders of a case take turns, round after round, in an order that rotates; so whatever slows the machine for a
while slows all of them. Ratios are taken within rounds, and the median of those is what counts.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], object]

BURST = 0.004
"""Calls shorter than this many seconds are timed several at a time."""

SETTLE = 0.13
"""Worker threads of BLAS and others look for more work for about this long, and would slow the next library down."""

MOST_ROUNDS = 25


@dataclass(frozen=True)
class Contender:
    """What one library does in a case.

    Attributes:
        name: The library.
        work: What is timed: "forward" and "forward+VJP".
    """

    name: str
    work: dict[str, Work]


def measure(contenders: list[Contender], seconds: float, rounds: int = 5) -> dict[str, dict[str, list[float]]]:
    """Time contenders side by side.

    Args:
        contenders: Whoever takes part.
        seconds: How long to go on, at least.
        rounds: How many rounds there are at the least.

    Returns:
        For each kind of work, and each contender, the seconds that one call took in each round.
    """
    counts = {(c.name, what): _calls_in_a_burst(work) for c in contenders for what, work in c.work.items()}
    times: dict[str, dict[str, list[float]]] = {what: {} for c in contenders for what in c.work}
    end = time.perf_counter() + seconds
    done = 0
    while done < rounds or (done < MOST_ROUNDS and time.perf_counter() < end):
        turn = done % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            for what, work in contender.work.items():
                took = _burst(work, counts[contender.name, what])
                times[what].setdefault(contender.name, []).append(took)
            time.sleep(SETTLE)
        done += 1
    return times


def _calls_in_a_burst(work: Work) -> int:
    work()  # compiles, allocates, fills caches
    start = time.perf_counter()
    work()
    return max(1, round(BURST / (time.perf_counter() - start)))


def _burst(work: Work, count: int) -> float:
    if count > 1:
        work()  # the caches hold another contender's data
    start = time.perf_counter()
    for _ in range(count):
        work()
    return (time.perf_counter() - start) / count

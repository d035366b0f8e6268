"""opbook beside PyTorch on one thread and on two, whichever is the faster: small work is faster on one."""

from collections.abc import Callable
from typing import TypedDict

from speed.report import quartiles
from speed.timing import Contender, Work, measure

THREADS = (1, 2)


class Rivalry(TypedDict):
    """What came of it.

    Attributes:
        milliseconds: For opbook, and PyTorch on one and on two threads: quartiles and median.
        ratio: opbook's time divided by PyTorch's better one, in each round: quartiles and median.
    """

    milliseconds: dict[str, list[float]]
    ratio: list[float]


def beside_pytorch(
    mine: dict[str, Work], theirs: Callable[[], dict[str, Work]], *, seconds: float, rounds: int
) -> dict[str, Rivalry]:
    """Time the same work in turns.

    Args:
        mine: What opbook does, by what it is.
        theirs: Makes what PyTorch does; called once for each number of threads.
        seconds: How long to go on, at least.
        rounds: How many rounds there are at the least.

    Returns:
        What came of each kind of work.
    """
    contenders = [Contender("opbook", mine)]
    contenders += [Contender(f"torch on {n}", _on(n, theirs())) for n in THREADS]
    times = measure(contenders, seconds, rounds)
    return {
        what: {
            "milliseconds": {name: quartiles([1e3 * t for t in taken]) for name, taken in found.items()},
            "ratio": quartiles([own / min(peers) for own, *peers in zip(*found.values(), strict=True)]),
        }
        for what, found in times.items()
    }


def _on(threads: int, works: dict[str, Work]) -> dict[str, Work]:
    """The same work on a number of threads of PyTorch's."""
    import torch

    def on(work: Work) -> Work:
        def run() -> object:
            torch.set_num_threads(threads)
            return work()

        return run

    return {what: on(work) for what, work in works.items()}

"""The steps of a tape as data, from which a script in the page computes them again as a reader changes numbers.

The script knows the functions that work entry by entry. All else is written such that it needs to know no NumPy: a sum,
a shape or an index as the list of which entry goes where, a product as the list of which entries are multiplied.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.indexing import cast, put_items, take_items
from opbook.autodiff.derivatives.reductions import root
from opbook.pages.tape.following import QUESTIONS, At, FollowingTape, Operation

ENTRYWISE = {
    *(np.add, np.subtract, np.multiply, np.divide, np.power, np.negative, np.absolute, np.square, np.sqrt, root),
    *(np.exp, np.expm1, np.log, np.log1p, np.logaddexp, np.sin, np.cos, np.tanh),
    *(np.maximum, np.minimum, np.clip, np.where, *QUESTIONS),
}
"""The functions that the script knows by their names."""

MOVES = {
    *(np.sum, np.cumsum, np.reshape, np.ravel, np.squeeze, np.expand_dims, np.broadcast_to, np.copy, cast),
    *(np.transpose, np.swapaxes, np.moveaxis, np.flip, np.roll, np.concatenate, np.stack, np.pad),
    *(take_items, put_items),
}
"""The functions that put entries somewhere, and may add them up or stretch them."""

PRODUCTS = {np.matmul, np.einsum}

EXTREMES = {np.max: "max", np.min: "min"}

MOST = 500
"""Arrays of more entries than this are none to be changed by hand, and lists of their entries too heavy for a page."""

Node = dict[str, Any]


class _Unknown(Exception):
    """The script can't compute this."""


class Program:
    """What must be computed for the steps of a tape.

    Attributes:
        nodes: The steps and what is given, each behind all that it is computed from.
        where: Which node a place of the tape is; empty, as the nodes are, if the script can't compute one of them.
    """

    def __init__(self, tape: FollowingTape, results: Sequence[int]) -> None:
        self.nodes: list[Node] = []
        self.where: dict[int, int] = {}
        self._tape = tape
        try:
            for place in _needed(tape, results):
                self.where[place] = self._add(place)
        except _Unknown:
            self.nodes, self.where = [], {}

    def _add(self, place: int) -> int:
        value, operation = self._tape.values[place], self._tape.operations.get(place)
        if operation is None:
            if self._tape.steps[place][2] is not None:
                raise _Unknown
            return self._given(value)
        if np.asarray(value).dtype not in (np.float64, np.bool_) or np.size(value) > MOST:
            raise _Unknown  # JavaScript computes with float64
        make = next((make for functions, make in _WAYS if operation.function in functions), None)
        if make is None:
            raise _Unknown
        operands = [self._tape.values[arg.place] if isinstance(arg, At) else arg for arg in operation.args]
        way, taken = make(operation, operands, value)
        of = [self.where[arg.place] if isinstance(arg, At) else self._given(arg) for arg in taken]
        return self._enter({"shape": list(np.shape(value)), "of": of, **way})

    def _given(self, value: Any) -> int:
        return self._enter({"shape": list(np.shape(value)), "value": flat(value)})

    def _enter(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def flat(array: Any) -> list[Any]:
    """List an array's entries; those that JSON has no numbers for are text that JavaScript makes numbers of."""
    entries = np.asarray(array, dtype=float).ravel().tolist()
    return [x if np.isfinite(x) else str(x).replace("inf", "Infinity").replace("nan", "NaN") for x in entries]


def _needed(tape: FollowingTape, results: Sequence[int]) -> list[int]:
    """The places of all that some results are computed from."""
    found: set[int] = set()
    waiting = list(results)
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            operation = tape.operations.get(place)
            waiting += [arg.place for arg in operation.args if isinstance(arg, At)] if operation else []
    return sorted(found)


Way = tuple[Node, Sequence[Any]]
"""How a node is computed, and which of the operation's arguments it is computed from."""

_SAME = {"bitwise_and": "logical_and", "bitwise_or": "logical_or", "invert": "logical_not"}


def _entrywise(operation: Operation, operands: Sequence[Any], value: Any) -> Way:
    if operation.options:
        raise _Unknown
    return {"do": name_of(operation.function)}, operation.args


def name_of(function: Any) -> str:
    """What the script calls a function: of Booleans, `&` is the logical and."""
    name = str(function.__name__)
    return _SAME.get(name, name)


def _moved(operation: Operation, operands: Sequence[Any], value: Any) -> Way:
    """Find out where each entry goes, by letting the function say where it puts a single 1."""
    arrays = [i for i, x in enumerate(operands) if isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f"]

    def put(parts: dict[int, Any]) -> Any:
        zeros = {i: np.zeros(np.shape(operands[i])) for i in arrays}
        given = [(zeros | parts).get(i, x) for i, x in enumerate(operands)]
        return np.ravel(operation.rule(*given, **operation.options)[0])

    if not np.array_equal(put({}), np.zeros(np.size(value))):
        raise _Unknown  # it adds something that is not 0
    to: list[int] = []
    source: list[int] = []
    by: list[float] = []
    number = 0
    for i in arrays:
        for one in np.eye(np.size(operands[i])):
            moved = put({i: one.reshape(np.shape(operands[i]))})
            for entry in np.flatnonzero(moved):
                to.append(int(entry))
                source.append(number)
                by.append(float(moved[entry]))
            number += 1
    way = {"do": "move", "to": to, "from": source}
    return way | ({} if set(by) <= {1.0} else {"by": by}), [operation.args[i] for i in arrays]


def _multiplied(operation: Operation, operands: Sequence[Any], value: Any) -> Way:
    """Find out which entries are multiplied: the number of an entry on the right stands at its products."""
    if len(operands) != 2:
        raise _Unknown
    left, right = map(np.asarray, operands)
    numbers = np.arange(1.0, right.size + 1).reshape(right.shape)
    to: list[int] = []
    lefts: list[int] = []
    rights: list[int] = []
    for i, one in enumerate(np.eye(left.size)):
        found = np.ravel(operation.rule(one.reshape(left.shape), numbers, **operation.options)[0])
        for entry in np.flatnonzero(found):
            to.append(int(entry))
            lefts.append(i)
            rights.append(int(found[entry]) - 1)
    if max(rights, default=0) >= right.size:
        raise _Unknown  # the sum of several numbers: an entry on the left meets several ones on the right
    products = np.bincount(to, left.ravel()[lefts] * right.ravel()[rights], np.size(value))
    if not np.allclose(products.astype(value.dtype), np.ravel(value)):  # of Booleans, whether any pair is true
        raise _Unknown  # likewise, where the sum is another one's number
    return {"do": "product", "to": to, "left": lefts, "right": rights}, operation.args


def _extreme(operation: Operation, operands: Sequence[Any], value: Any) -> Way:
    if operation.options.keys() - {"axis", "keepdims"}:
        raise _Unknown
    x, *axis = operands
    kept = np.max(x, *axis, **{**operation.options, "keepdims": True})
    groups = np.broadcast_to(np.arange(kept.size).reshape(kept.shape), x.shape)
    return {"do": EXTREMES[operation.function], "to": groups.ravel().tolist()}, operation.args[:1]


_WAYS: list[tuple[Any, Callable[[Operation, Sequence[Any], Any], Way]]] = [
    (ENTRYWISE, _entrywise),
    (MOVES, _moved),
    (PRODUCTS, _multiplied),
    (EXTREMES, _extreme),
]

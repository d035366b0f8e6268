"""What the arguments of one call have fixed so far: the sizes of dimensions, the batch axes, and the arrays met."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from opbook.builtins.specs.dimensions import Dim, names_in, size_of
from opbook.errors import ShapeError


class Extent(NamedTuple):
    """How long one axis of one argument is, and how to say so.

    Attributes:
        size: The axis' length.
        shape: The argument's shape.
        axis: The axis.
        path: How an error names the argument.
    """

    size: int
    shape: tuple[int, ...]
    axis: int
    path: str

    @property
    def noun(self) -> str:
        """What the axis runs over: columns, rows, or entries of a vector."""
        if len(self.shape) == 1:
            return "entry"
        return {1: "column", 2: "row"}.get(len(self.shape) - self.axis, f"axis {self.axis}")

    def __str__(self) -> str:
        if self.noun.startswith("axis"):
            return f"length {self.size} along {self.noun}"
        plural = "entries" if self.noun == "entry" else f"{self.noun}s"
        return f"{self.size} {self.noun if self.size == 1 else plural}"


@dataclass(slots=True)
class Binding:
    """What one call has fixed so far.

    Attributes:
        sizes: The extent of each named dimension in the argument that fixed it.
        batches: The shapes of batch axes seen for `...`, and the first argument that each came with.
        named: The shape of each named group of batch axes, such as `*B`, and the argument that fixed it.
        trees: The shapes in each named tree, and the argument that fixed it.
        floats: Every array of floats and every value on a tape that the arguments have, in order.
        later: Checks that need dimensions which no argument has fixed yet; each says whether it could be made.
        outer: For one of several records, the binding of what is around it.
    """

    sizes: dict[Any, Extent] = field(default_factory=dict)
    batches: dict[tuple[int, ...], str] = field(default_factory=dict)
    named: dict[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    trees: dict[str, tuple[Any, str]] = field(default_factory=dict)
    floats: list[Any] = field(default_factory=list)
    later: list[Callable[[], bool]] = field(default_factory=list)
    outer: "Binding | None" = None

    def known(self, dim: Dim) -> dict[str, int]:
        """Look up what the names in a dimension stand for."""
        found = ((name, self.extent(name)) for name in names_in(dim))
        return {name: extent.size for name, extent in found if extent is not None}

    def extent(self, name: str) -> Extent | None:
        """Look up a name, here and in what is around.

        Returns:
            The extent that an argument has fixed for it, or None.
        """
        found = self.sizes.get(name)
        return self.outer.extent(name) if found is None and self.outer is not None else found

    def size(self, dim: Dim) -> int | None:
        """Compute how long a dimension is.

        Returns:
            Its length, or None if no argument has fixed it yet.
        """
        return size_of(dim, self.known(dim))

    def batch(self, name: str = "") -> tuple[int, ...]:
        """Tell the shape of batch axes.

        Args:
            name: The group's, such as `B`; "" for what all batch axes of `...` broadcast to.
        """
        if name:
            return self.named[name][0] if name in self.named else ()
        return next(iter(self.batches)) if len(self.batches) == 1 else np.broadcast_shapes(*self.batches)

    def add_batch(self, shape: tuple[int, ...], name: str, path: str) -> None:
        """Enter the batch axes of an argument.

        Args:
            shape: Their lengths.
            name: Their group's name; "" if they are those of `...`.
            path: How an error names the argument.

        Raises:
            ShapeError: They are not those of an argument before it, or don't broadcast with them.
        """
        if name:
            due, its_path = self.named.setdefault(name, (shape, path))
            if due != shape:
                raise ShapeError(
                    f"{path} has batch axes {shape} but {its_path} has {due}; they must be equal (both are *{name})"
                )
            return
        if shape in self.batches:
            return
        for other, its_path in self.batches.items():
            try:
                np.broadcast_shapes(shape, other)
            except ValueError:
                raise ShapeError(
                    f"{path} has batch axes {shape} but {its_path} has {other}; they must be equal or broadcast"
                ) from None
        self.batches[shape] = path

    def within(self) -> "Binding":
        """Make the binding of one of several records: the dimensions that it fixes hold inside it only."""
        return Binding(dict(self.sizes), self.batches, self.named, self.trees, self.floats, self.later, self)

    def attempt(self) -> "Binding":
        """Make a copy, to see whether a value fits."""
        copies = (dict(self.sizes), dict(self.batches), dict(self.named), dict(self.trees))
        return Binding(*copies, list(self.floats), list(self.later), self.outer)

    def finish(self) -> None:
        """Make the checks that had to wait for other arguments."""
        while self.later:
            left = [check for check in self.later if not check()]
            if len(left) == len(self.later):
                break
            self.later[:] = left
        self.later.clear()  # what no argument settles, as where a length is 0: each holds the binding, which is a cycle

"""What the arguments of one call have fixed so far: the sizes of dimensions, the batch axes, and the arrays met."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

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
        batches: The batch shapes seen, and the first argument that each came with.
        floats: Every array of floats and every value on a tape that the arguments have, in order.
    """

    sizes: dict[str | int, Extent] = field(default_factory=dict)
    batches: dict[tuple[int, ...], str] = field(default_factory=dict)
    floats: list[Any] = field(default_factory=list)

    def size(self, name: str) -> Extent | None:
        """Look a dimension up.

        Args:
            name: The dimension.

        Returns:
            Its extent, or None if no argument has fixed it yet.
        """
        return self.sizes.get(name)

    def batch(self) -> tuple[int, ...]:
        """The shape that all batch axes broadcast to."""
        return next(iter(self.batches)) if len(self.batches) == 1 else np.broadcast_shapes(*self.batches)

    def add_batch(self, shape: tuple[int, ...], path: str) -> None:
        """Enter the batch axes of an argument.

        Args:
            shape: Their lengths.
            path: How an error names the argument.

        Raises:
            ShapeError: They don't broadcast with those of an argument before it.
        """
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
        """Make the binding of a record's fields: the dimensions that they fix hold inside the record only."""
        return Binding(dict(self.sizes), self.batches, self.floats)

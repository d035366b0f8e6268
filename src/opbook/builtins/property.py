"""Properties of builtins: what is true of their values for every input, as checks of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from opbook.builtins.supplement import Supplement
from opbook.errors import DeclarationError


@dataclass(frozen=True)
class Property(Supplement):
    """Something that is true of a builtin whatever its input, for `opbook verify` to check.

    A plugin returns it from the hook `opbook_properties`. The definition and the rule may agree and both be wrong; a
    property is known from elsewhere.

    Attributes:
        builtin: The builtin's name.
        name: What the check is called, such as `"rows add up to 1"`.
        sentence: What is true, as a sentence; the builtin's page shows it.
        sides: Takes the builtin and the arguments of a call, and returns two values that must be equal, to within 1e-10
            of the second one's largest entry. Or None, for an input that the property does not apply to.
    """

    builtin: str
    name: str
    sentence: str
    sides: Callable[..., tuple[Any, Any] | None]

    def __post_init__(self) -> None:
        if not all(isinstance(text, str) and text for text in (self.builtin, self.name, self.sentence)):
            raise DeclarationError(f"{self}: builtin, name and sentence of a property must be texts")
        if not callable(self.sides):
            raise DeclarationError(f"{self}: sides must be a function, but is {self.sides!r}")

    @property
    def key(self) -> tuple[str, str]:
        """The builtin and the name, by which the check is chosen."""
        return self.builtin, self.name

    def __str__(self) -> str:
        return f"{self.builtin}: {self.name}"

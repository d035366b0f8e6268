"""What a plugin adds to a builtin, in general."""

from collections.abc import Hashable
from typing import Any


class Supplement:
    """Something that a plugin adds to a builtin, or to the whole book.

    Each kind is a class derived from this one, which refuses what is wrong as soon as it is made.

    Attributes:
        builtin: The name of the builtin that it is for, or "" if it is for none in particular.
    """

    builtin: str

    @property
    def key(self) -> Hashable:
        """What no other of its kind may have as well."""
        raise NotImplementedError

    def misfit(self, op: Any) -> str:
        """Say why it can't be used.

        Args:
            op: The builtin that it is for; None if it is for none.

        Returns:
            The reason as a sentence, or "".
        """
        return ""

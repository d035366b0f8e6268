"""Which call does the same elsewhere, and what differs.

The code of a call is an expression with the builtin's arguments in it, and the tests evaluate it. The opset of an
operator is the first in which it does what the note says.
"""

from typing import NamedTuple


class Call(NamedTuple):
    """A call of a library for Python: its code, and what differs, without a full stop."""

    code: str
    note: str = ""


class Operator(NamedTuple):
    """An operator of ONNX: its name, the opset, and what differs, without a full stop."""

    name: str
    opset: int
    note: str = ""

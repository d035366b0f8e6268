"""A griffe extension that leaves the dimensions in `Array["... N D"]` and `Mask["N N"]` as the text that they are.

Without it griffe takes a text in an annotation for a type that is yet to be defined, and shows `Array["D"]` as
`Array[D]`.
"""

from typing import Any

import griffe

_NAMES = {"Array", "Mask"}


class DimensionStrings(griffe.Extension):
    """Quotes dimension strings again."""

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        """Mend the annotations of a function."""
        for parameter in func.parameters:
            _mend(parameter.annotation)
        _mend(func.returns)

    def on_attribute(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Mend the annotation of an attribute, such as a field of a record."""
        _mend(attr.annotation)


def _mend(annotation: Any) -> None:
    if not isinstance(annotation, griffe.Expr):
        return
    for part in (annotation, *annotation.iterate(flat=False)):
        if isinstance(part, griffe.ExprSubscript) and str(part.left).rpartition(".")[2] in _NAMES:
            text = str(part.slice)
            part.slice = text if text[:1] in "'\"" else f'"{text}"'
        elif part is not annotation:
            _mend(part)

"""Call shapes in words."""

import re

from opbook.builtins.signature import CallShape, Param
from opbook.builtins.specs import ArraySpec, MaskSpec, OptionalSpec, RecordSpec, SequenceSpec, Spec, ValueSpec
from opbook.pages.page import Call, Field, Input, Output


def describe(shape: CallShape) -> Call:
    """Describe a call shape.

    Args:
        shape: The call shape.

    Returns:
        The same in words.
    """
    output = _output(shape)
    text = f"{output.name} = {shape}" if output.name else str(shape)
    return Call(text, tuple(_input(param) for param in shape.params), output)


def _input(param: Param) -> Input:
    return Input(
        name=param.name,
        brief=_brief(param.spec),
        shape=_words(param.spec),
        optional=not param.required,
        default="" if param.required or param.default is None else _default(param.default),
        description=param.doc,
        fields=tuple(_fields(param.name, param.spec)) if _has_record(param.spec) else (),
    )


def _output(shape: CallShape) -> Output:
    spec = shape.returns
    nothing = isinstance(spec, ValueSpec) and spec.types == (type(None),)
    text = " ".join(shape.doc.sections.get("Returns", "").split())
    return Output("", "nothing", "nothing", text) if nothing else Output("result", _brief(spec), _words(spec), text)


def _default(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return re.sub(r"e([+-])0+", r"e\1", f"{value:g}").replace("e+", "e")
    return f'"{value}"' if isinstance(value, str) else str(value)


def _has_record(spec: Spec) -> bool:
    if isinstance(spec, OptionalSpec):
        return _has_record(spec.inner)
    if isinstance(spec, SequenceSpec):
        return any(map(_has_record, spec.items))
    return isinstance(spec, RecordSpec)


def _brief(spec: Spec) -> str:
    if isinstance(spec, OptionalSpec):
        return _brief(spec.inner)
    if isinstance(spec, MaskSpec):
        return f"{_dims(spec)} mask"
    if isinstance(spec, ArraySpec):
        return _dims(spec) or spec.words()
    if isinstance(spec, RecordSpec):
        return "record"
    if isinstance(spec, SequenceSpec):
        return "tuple of records" if _has_record(spec) else "tuple"
    return spec.words()


def _dims(spec: ArraySpec) -> str:
    if not spec.dims:
        return ""
    inner = ", ".join(["..."] * spec.batched + [str(dim) for dim in spec.dims])
    return f"({inner}{',' if ',' not in inner else ''})"


def _words(spec: Spec) -> str:
    """A few words; what is inside records stands in the fields."""
    if isinstance(spec, OptionalSpec):
        return _words(spec.inner)
    if _has_record(spec):
        many = isinstance(spec, SequenceSpec) and spec.any_length
        return "tuple of any number of records" if many else _brief(spec)
    return spec.words()


def _fields(path: str, spec: Spec) -> list[Field]:
    if isinstance(spec, OptionalSpec):
        return _fields(path, spec.inner)
    if isinstance(spec, RecordSpec):
        return [field for name, inner in spec.fields.items() for field in _fields(f"{path}.{name}", inner)]
    if isinstance(spec, SequenceSpec) and spec.any_length:
        return _fields(f"{path}[i]", spec.items[0])
    if isinstance(spec, SequenceSpec):
        return [field for i, item in enumerate(spec.items) for field in _fields(f"{path}[{i}]", item)]
    return [Field(path, _words(spec))]

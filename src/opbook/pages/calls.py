"""Call shapes in words."""

import re

from opbook.builtins.signature import CallShape, Param
from opbook.builtins.specs import (
    ArraySpec,
    BoolSpec,
    DictSpec,
    IntSpec,
    MaskSpec,
    OptionalSpec,
    RecordSpec,
    SequenceSpec,
    Spec,
    UnionSpec,
    ValueSpec,
)
from opbook.pages.page import Input, Output, ShownCall, ShownField


def describe(shape: CallShape) -> ShownCall:
    """Describe a call shape."""
    output = _output(shape)
    text = f"{output.name} = {shape}" if output.name else str(shape)
    return ShownCall(text, tuple(_input(param) for param in shape.params), output, _shapes(shape, output))


def _shapes(shape: CallShape, output: Output) -> str:
    """The shapes of a call in one line; what is no array has only its name."""
    needed = ", ".join(f"{p.name} {_axes(p.spec)}".strip() for p in shape.params if p.required)
    result = _axes(shape.returns) or output.brief
    return f"{needed} → {result}" if needed else result


def _axes(spec: Spec) -> str:
    if not isinstance(spec, ArraySpec):
        return ""
    axes = spec.axes or ("(...)" if spec.batched else "")
    return axes.replace(" ", "\N{NO-BREAK SPACE}")


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
    text = " ".join(shape.doc.sections.get("Returns", "").split())
    if isinstance(spec, ValueSpec) and spec.types == (type(None),):
        return Output("", "nothing", "nothing", text)
    several = _has_record(spec) or (isinstance(spec, SequenceSpec) and spec.names)
    fields = tuple(_fields("result", spec)) if several else ()
    return Output("result", _brief(spec), _words(spec) if not fields else _brief(spec), text, fields)


def _default(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return re.sub(r"e([+-])0+", r"e\1", f"{value:g}").replace("e+", "e")
    return f'"{value}"' if isinstance(value, str) else str(value)


def _has_record(spec: Spec) -> bool:
    return isinstance(spec, RecordSpec) or any(map(_has_record, spec.parts))


def _brief(spec: Spec) -> str:
    if isinstance(spec, OptionalSpec | UnionSpec):
        return " or ".join(map(_brief, spec.parts))
    if isinstance(spec, ArraySpec):
        kinds = {MaskSpec: " mask", IntSpec: " whole numbers", BoolSpec: " Booleans"}
        return f"{spec.axes}{kinds.get(type(spec), '')}" if spec.axes else spec.words()
    if isinstance(spec, RecordSpec):
        return "record"
    if isinstance(spec, SequenceSpec):
        return "tuple of records" if _has_record(spec) else "tuple"
    return "dictionary" if isinstance(spec, DictSpec) else spec.words()


def _words(spec: Spec) -> str:
    """A few words; what is inside records stands in the fields."""
    if isinstance(spec, OptionalSpec):
        return _words(spec.inner)
    if _has_record(spec):
        many = isinstance(spec, SequenceSpec) and spec.any_length
        return "tuple of any number of records" if many else _brief(spec)
    return spec.words()


def _fields(path: str, spec: Spec, note: str = "") -> list[ShownField]:
    if isinstance(spec, OptionalSpec):
        return _fields(path, spec.inner, note)
    if isinstance(spec, RecordSpec):
        notes = dict.fromkeys(spec.optional, ", may be left out")
        parts = [(f"{path}.{name}", part, notes.get(name, "")) for name, part in spec.fields.items()]
    elif isinstance(spec, SequenceSpec) and spec.any_length:
        parts = [(f"{path}[i]", spec.items[0], "")]
    elif isinstance(spec, SequenceSpec):
        names = [f"{path}.{name}" for name in spec.names] or [f"{path}[{i}]" for i in range(len(spec.items))]
        parts = [(name, part, "") for name, part in zip(names, spec.items, strict=True)]
    elif isinstance(spec, DictSpec):
        parts = [(f"{path}[name]", spec.item, "")]
    else:
        return [ShownField(path, _words(spec) + note)]
    return [field for part in parts for field in _fields(*part)]

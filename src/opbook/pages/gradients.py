"""What a page says of a builtin's gradient: how to take it, what comes back, and the note's words on it."""

import re

from opbook.builtins.builtin import Builtin
from opbook.builtins.signature import CallShape, Param
from opbook.builtins.specs import RecordSpec, SequenceSpec, Spec, ValueSpec
from opbook.pages.page import Gradient

_BEGINNING = re.compile(r"^\*\*The gradient\b[^\n]*?\*\*", re.MULTILINE)


def gradient_of(op: Builtin, note: str) -> Gradient:
    """Describe a builtin's gradient."""
    shape = op.call_shapes[0]
    positional = [p for p in shape.params if p.required and not p.keyword_only]
    wanted = [p for p in positional if has_gradient(p.spec)]
    if not wanted or not has_gradient(shape.returns):
        why = (
            "it returns nothing that could change a little"
            if wanted
            else "it takes no numbers that could change a little"
        )
        return Gradient("", f"There is nothing to differentiate: {why}.", note)
    return Gradient(_call(shape, positional), _sentences(shape, positional, wanted), note)


def has_gradient(spec: Spec) -> bool:
    """Tell whether numbers can be in an argument that may change a little.

    Returns:
        True for arrays and numbers, and where they may be inside tuples and records.
    """
    if isinstance(spec, SequenceSpec):
        return any(has_gradient(item) or _is_anything(item) for item in spec.items)
    if spec.parts:
        return any(map(has_gradient, spec.parts))
    return float in spec.types if isinstance(spec, ValueSpec) else spec.differentiable


def _is_anything(spec: Spec) -> bool:
    return isinstance(spec, ValueSpec) and not spec.types and not spec.choices


def split(note: str) -> tuple[str, str]:
    """Divide a note at the paragraph that begins with "**The gradient".

    Returns:
        How the builtin works, and what the note says of its gradient: from that paragraph on.
    """
    found = _BEGINNING.search(note)
    if found is None:
        return note, ""
    lead = found[0].strip("*")
    rest = note[found.end() :].strip()
    # "**The gradient.** With x" loses its lead, "**The gradient** is x" its stars: the heading says it already
    words = rest if lead.endswith(".") else f"{lead} {rest}"
    return note[: found.start()].strip(), words


def _call(shape: CallShape, positional: list[Param]) -> str:
    arguments = ", ".join([shape.name, *(p.name for p in positional)])
    names = [f"d{p.name}" if has_gradient(p.spec) else "_" for p in positional]
    returned = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
    return f"value, pullback = vjp({arguments})\n{returned} = pullback(g)"


def _sentences(shape: CallShape, positional: list[Param], wanted: list[Param]) -> str:
    given = _listed([f"`{p.name}`" for p in wanted])
    several = len(wanted) > 1
    sentences = [
        f"`g` is a cotangent of the value, {_built_as(shape.returns)}. The gradient{'s' * several} of {given} "
        f"{'have the shapes of the arguments' if several else 'has the shape of the argument'}."
    ]
    without = [p.name for p in positional if not has_gradient(p.spec)]
    if without:
        sentences.append(f"`{'`, `'.join(without)}` {'have' if len(without) > 1 else 'has'} none.")
    if shape.own_rule is None:
        sentences.append("There is no rule: the tape differentiates the definition.")
    return " ".join(sentences)


def _built_as(spec: Spec) -> str:
    """How a cotangent is built, where the value has several arrays."""
    names = spec.names if isinstance(spec, SequenceSpec) else spec.fields if isinstance(spec, RecordSpec) else ()
    if not names:
        return "of the value's shape"
    return f"built as the value is, with {_listed([f'`{name}`' for name in names])}"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]

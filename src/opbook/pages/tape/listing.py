"""Writes a trace as a list, for screens that are too narrow for its picture."""

import html
from collections.abc import Iterator

from opbook.pages.tape.tracing import Step, Trace
from opbook.pages.tape.values import rows, shape


def as_list(trace: Trace) -> str:
    """Write a trace as an HTML list of its inputs and steps."""
    items = "".join(f'<li class="ob-tape-{step.kind}">{"".join(_parts(step))}</li>' for step in trace.as_written())
    return f'<ol class="ob-tape-list">{items}</ol>'


def _parts(step: Step) -> Iterator[str]:
    yield f'<span class="ob-tape-name">{html.escape(step.title)}</span> '
    yield f'<span class="ob-tape-shape">{shape(step.value)}</span>'
    note = f"{step.note} in {step.within}".strip() if step.within else step.note
    if note:
        yield f'<span class="ob-tape-note">{html.escape(note)}</span>'
    for kind, mark, array in (("value", "↓", step.value), ("cotangent", "↑", step.cotangent)):
        first, *others = rows(array)
        text = "\n".join((f"{mark} {first}", *(f"  {row}" for row in others)))
        yield f'<span class="ob-tape-{kind}">{html.escape(text)}</span>'

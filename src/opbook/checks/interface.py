"""Checks of what people meet: documentation, error messages, the notation, examples."""

from collections import ChainMap
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.builtins.specs import ArraySpec, MaskSpec, OptionalSpec, Spec
from opbook.checks.check import Evidence, NotApplicable, Refuted, check
from opbook.checks.inputs import refused_by
from opbook.checks.literals import NotWritable, notation_call
from opbook.checks.samples import Sample
from opbook.checks.subject import Subject, on
from opbook.errors import OpbookError
from opbook.notation import Session


@check(
    "documented",
    "It says what it is, what every argument is, what it returns, where it comes from and how it works.",
    involves_rule=False,
)
def documented(subject: Subject) -> Evidence:
    """Look for the parts that its page is made of."""
    op = subject.op
    missing = [f"section {title}" for title in ("Returns", "Source") if title not in op.doc.sections]
    missing += [f"{p.name} in section Args" for p in op.call_shapes[0].params if not p.doc]
    if not op.note:
        missing.append("a comment block above the function (its note)")
    if missing:
        raise Refuted(f"the documentation lacks: {'; '.join(missing)} ({op.source_file}:{op.source_line})")
    return Evidence(inputs=len(op.call_shapes))


def _bad_calls(sample: Sample, params: list[Any]) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Calls that can't be right, each with what is wrong about it."""
    if any(p.required for p in params):
        yield "no arguments", (), {}
    yield "an unknown keyword", sample.args, {**sample.kwargs, "no_such_argument": 1}
    yield "too many arguments", (*sample.args, *[None] * len(params), 1), sample.kwargs
    for i, (param, value) in enumerate(zip(params, sample.args, strict=False)):
        spec = _plain(param.spec)
        if not isinstance(spec, ArraySpec):
            continue

        def replaced(new: Any, i: int = i) -> tuple[Any, ...]:
            return (*sample.args[:i], new, *sample.args[i + 1 :])

        if isinstance(spec, MaskSpec):
            yield f"{param.name} with the value 0.5", replaced(np.full(np.shape(value), 0.5)), sample.kwargs
            continue
        yield f"{param.name} of complex numbers", replaced(np.asarray(value) * 1j), sample.kwargs
        yield f"{param.name} of objects", replaced(np.full(np.shape(value), None)), sample.kwargs
        yield f"{param.name} as text", replaced("text"), sample.kwargs
        if spec.dims:
            yield f"{param.name} without axes", replaced(1.0), sample.kwargs
        given = params[: len(sample.args)]
        shared = [d for d in spec.dims if sum(d in getattr(_plain(p.spec), "dims", ()) for p in given) > 1]
        if shared and isinstance(value, np.ndarray) and value.size:
            axis = spec.dims.index(shared[-1]) - len(spec.dims)
            longer = np.concatenate([value, np.take(value, [0], axis)] * 2, axis)
            yield f"{param.name} with too many entries along {shared[-1]}", replaced(longer), sample.kwargs


def _plain(spec: Spec) -> Spec:
    return spec.inner if isinstance(spec, OptionalSpec) else spec


@check("errors", "Wrong input gives one clear error that names the builtin.")
def errors(subject: Subject) -> Evidence:
    """Try calls that can't be right: missing, unknown and too many arguments, other dtypes, shapes that do not fit.

    What the samples say must be refused is tried on the rule and on the definition, which must have a message for it.
    """
    evidence = Evidence()
    op, sample = subject.op, subject.samples[0]
    params = op.bind(sample.args, sample.kwargs).shape.params
    for what, args, kwargs in _bad_calls(sample, params):
        _must_refuse(subject, f"with {what}", partial(op, *args, **kwargs), sample)
        evidence.inputs += 1
    for bad in refused_by(op):
        for what, call in (
            ("", partial(op, *bad.args, **bad.kwargs)),
            (", in its definition", partial(_define, op, bad)),
        ):
            error = _must_refuse(subject, f"with {bad.label}{what}", call, bad)
            if bad.words not in str(error):
                raise Refuted(f"with {bad.label}{what}, the error does not say {bad.words!r}: {error}")
            cause = error.__cause__
            if cause is not None:
                raise Refuted(f"with {bad.label}{what}, the error is not its own, but {type(cause).__name__}: {cause}")
        evidence.inputs += 1
    return evidence


def _define(op: Builtin, sample: Sample) -> Any:
    return op.bind(sample.args, sample.kwargs).define()


def _must_refuse(subject: Subject, when: str, call: Callable[[], Any], sample: Sample) -> OpbookError:
    try:
        call()
    except OpbookError as error:
        if subject.op.name not in str(error):
            raise Refuted(f"{when}, the error does not name the builtin: {error}") from None
        return error
    except Exception as error:
        raise Refuted(f"{when}, it raises {type(error).__name__}: {error}, not an error of opbook's") from None
    raise Refuted(f"{when}, it returns a value, where an error is expected{on(subject, sample)}")


@check("notation", "A call in the notation gives what the call in Python gives.")
def notation(subject: Subject) -> Evidence:
    """Write samples as programs, with every digit, and compare bit for bit.

    Of those that are written alike but for their digits and lengths, one is enough, as reading takes long.
    """
    evidence = Evidence()
    session = Session(ChainMap({subject.op.name: subject.op}, subject.builtins))  # type: ignore[arg-type]
    seen: set[str] = set()
    for sample in subject.inputs():
        form = _form(sample)
        if form in seen:
            continue
        try:
            program = notation_call(subject.op.name, sample.args, sample.kwargs)
        except NotWritable:
            continue
        seen.add(form)
        got, expected = session.run(program), subject.op(*sample.args, **sample.kwargs)
        if not _same(got, expected):
            raise Refuted(f"{program} gives {got!r} in the notation, {expected!r} in Python")
        evidence.inputs += 1
    if not evidence.inputs:
        raise NotApplicable("the notation has no way to write its arguments")
    return evidence


def _form(sample: Sample) -> str:
    """What a program that calls the builtin on a sample looks like."""

    def form(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return leaf.dtype.kind, *(min(length, 2) for length in leaf.shape)
        return type(leaf) if isinstance(leaf, float) else leaf

    return repr(tree.map(form, (sample.args, sample.kwargs)))


def _same(a: Any, b: Any) -> bool:
    same: Callable[[Any, Any], bool] = lambda x, y: (  # noqa: E731
        x is y or (callable(x) and callable(y)) or np.array_equal(x, y, equal_nan=np.asarray(y).dtype.kind == "f")
    )
    return tree.same_structure(a, b) and all(map(same, tree.leaves(a), tree.leaves(b)))


@check(
    "examples",
    "It has an example, and every example that calls it runs and prints what is documented.",
    involves_rule=False,
    needs_examples=True,
)
def examples(subject: Subject) -> Evidence:
    """Look at what became of the examples."""
    if subject.examples is None:
        raise NotApplicable("its plugin is no package, so it has no examples.md")
    if not subject.examples:
        raise Refuted(f"no example calls it; write one in the plugin's examples.md ({subject.op.source_file})")
    for result in subject.examples:
        if result.status == "failed":
            raise Refuted(result.message)
    return Evidence(inputs=len(subject.examples))

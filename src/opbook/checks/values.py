"""Checks of values: does the definition run, does the rule agree with it, in every precision and memory layout."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.differentiate import vjp
from opbook.builtins.rule import OWN
from opbook.checks.check import Evidence, NotApplicable, Refuted, check
from opbook.checks.results import misfit
from opbook.checks.samples import Sample
from opbook.checks.subject import (
    Subject,
    definition_of,
    is_numeric,
    on,
    plain_value,
    precisions,
    value_and_gradients,
    value_of,
)
from opbook.checks.tolerance import TOLERANCE, allowed, relative_error
from opbook.figures import Figure, capture

LAYOUT_TOLERANCE = 1e-8
"""What another order of summation may change where terms cancel; a layout that is misread changes everything."""


@check("definition", "The definition runs on every input and returns what its annotation says.", involves_rule=False)
def definition(subject: Subject) -> Evidence:
    """Evaluate every sample by the definition; hold what it returns to the annotation of the return value."""
    evidence = Evidence()
    for sample, call in subject.calls():
        value = definition_of(subject, sample)
        if wrong := misfit(call, value):
            raise Refuted(f"{wrong}{on(subject, sample)}")
        evidence.inputs += 1
    if subject.refused:
        label, message = next(iter(subject.refused.items()))
        evidence.refused = len(subject.refused)
        inputs = "1 generated input" if evidence.refused == 1 else f"{evidence.refused} generated inputs"
        evidence.note = f"it refuses {inputs}, such as {label}: {message}"
    return evidence


@check("rule value", "The rule's value equals the definition's.", measures="The rule's value equals the definition's")
def rule_value(subject: Subject) -> Evidence:
    """Compare the two in float64."""
    evidence = Evidence()
    declined = 0
    for sample, call in subject.calls():
        found = call.run_rule()
        if found is None:
            declined += 1
            continue
        error = relative_error(found[0], definition_of(subject, sample))
        if error > TOLERANCE["float64"]:
            raise Refuted(
                f"the rule's value differs from the definition's by {error:.1e} (at most {TOLERANCE['float64']:.0e})"
                f"{on(subject, sample)}"
            )
        evidence.measured(error)
        evidence.inputs += 1
    if not evidence.inputs and subject.rule != OWN:
        raise Refuted(f"the rule takes none of the {declined} inputs: it returns NotImplemented for each")
    if not evidence.inputs:
        raise NotApplicable("no rule: the tape differentiates the definition")
    if declined:
        evidence.note = f"{declined} other inputs are left to the next rule"
    return evidence


@check("known answers", "Where a sample has a known answer, from another source, the value equals it.")
def known_answers(subject: Subject) -> Evidence:
    """Hold both definition and rule to it: what the two share, no comparison of one with the other can refute.

    Of a builtin that draws, the figure is known.
    """
    evidence = Evidence()
    for sample in subject.inputs():
        if sample.known is None:
            continue
        evidence.inputs += 1
        if isinstance(sample.known, Figure):
            _draws_what_is_known(subject, sample)
            continue
        for what, value in (("definition", definition_of(subject, sample)), ("value", value_of(subject, sample))):
            error = relative_error(value, sample.known)
            if error > TOLERANCE["float64"]:
                raise Refuted(f"the {what} differs by {error:.1e} from the known answer{on(subject, sample)}")
            if _signs_of_zeros(value) != _signs_of_zeros(sample.known):
                raise Refuted(f"the {what} has other signs of 0 than the known answer{on(subject, sample)}")
            evidence.measured(error)
    if not evidence.inputs:
        raise NotApplicable("its samples give no answers")
    return evidence


def _draws_what_is_known(subject: Subject, sample: Sample) -> None:
    """Alone, and in a function that is being differentiated."""

    def draw(args: Any, kwargs: Any) -> float:
        subject.op(*args, **kwargs)
        return 0.0

    with capture() as drawn:
        draw(sample.args, sample.kwargs)
        vjp(draw, sample.args, sample.kwargs)
    if repr(drawn) != repr([sample.known] * 2):  # not ==, for which NaN is never the same
        raise Refuted(f"it draws {drawn[0] if drawn else 'nothing'}, but {sample.known} is known{on(subject, sample)}")


def _signs_of_zeros(value: Any) -> list[list[bool]]:
    """For each array, whether its zeros are negative."""
    arrays = [np.asarray(leaf) for leaf in tree.leaves(value)]
    return [np.signbit(array[array == 0]).tolist() for array in arrays if array.dtype.kind == "f"]


@check("dtypes", "float16, float32 and float64 come out as they went in, as precise as they can be.")
def dtypes(subject: Subject) -> Evidence:
    """Compare each precision with the definition in float64 on the same, already rounded numbers."""
    evidence = Evidence()
    for sample in subject.inputs():
        for name, rounded in precisions(subject, sample):
            value = value_of(subject, rounded)
            if not is_numeric(value) or not sample.has_floats():
                continue
            for leaf in tree.leaves(value):
                if leaf.dtype.kind == "f" and leaf.dtype != name:
                    raise Refuted(f"the input is {name}, but the result is {leaf.dtype}{on(subject, rounded)}")
            exact = definition_of(subject, rounded)
            error = relative_error(value, exact)
            if error > TOLERANCE[name]:
                bound, words = allowed(TOLERANCE[name], relative_error(plain_value(subject, rounded), exact))
                if error > bound:
                    raise Refuted(f"in {name} the value is off by {error:.1e} ({words}){on(subject, rounded)}")
            evidence.inputs += 1
    if not evidence.inputs:
        raise NotApplicable("it takes or returns no floating-point array")
    return evidence


def _strided(array: Any) -> Any:
    return np.repeat(array[..., None], 2, axis=-1)[..., 1]


def _reversed(array: Any) -> Any:
    backwards = (..., *[slice(None, None, -1)] * array.ndim)
    return array[backwards].copy()[backwards]


def _fortran(array: Any) -> Any:
    frozen = array.copy(order="F")  # asfortranarray would make a vector of an array without axes
    frozen.flags.writeable = False
    return frozen


_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "in Fortran order and read-only": _fortran,
    "with strides": _strided,
    "reversed in memory": _reversed,
}
"""The same numbers in other layouts of memory."""


@check(
    "layouts",
    "Strided, reversed, Fortran-ordered, zero-stride and read-only arrays give the same result.",
    is_slow=True,
)
def layouts(subject: Subject) -> Evidence:
    """Compare value and gradients with those of contiguous input, with masks and cotangents in that layout too."""
    evidence = Evidence()
    for sample in subject.inputs():
        if not sample.has_floats():
            continue
        expected = value_of(subject, sample), value_and_gradients(subject, sample)
        for name, layout in _LAYOUTS.items():
            laid_out = sample.with_arrays(layout, "fb")
            got = value_of(subject, laid_out), value_and_gradients(subject, laid_out, layout)
            _same_answer(subject, sample, name, got, expected, evidence)
        stretched = sample.with_arrays(lambda a: np.broadcast_to(a[:1], a.shape) if a.ndim and len(a) else a)
        if _accepts(subject, stretched):
            contiguous = stretched.with_arrays(np.array)
            got, due = value_and_gradients(subject, stretched), value_and_gradients(subject, contiguous)
            _same_answer(subject, contiguous, "with zero strides", got, due, evidence)
    if not evidence.inputs:
        raise NotApplicable("it takes no floating-point array")
    return evidence


def _accepts(subject: Subject, sample: Sample) -> bool:
    try:
        subject.op(*sample.args, **sample.kwargs)
    except ValueError:  # constant rows may be refused, say with eps = 0
        return False
    return True


def _same_answer(subject: Subject, sample: Sample, name: str, got: Any, expected: Any, evidence: Evidence) -> None:
    error = relative_error(got, expected)
    if error > LAYOUT_TOLERANCE:
        raise Refuted(f"arrays {name} change the result by {error:.1e}{on(subject, sample)}")
    evidence.measured(error)
    evidence.inputs += 1


@check("warnings", "No warning is emitted on valid input, in any precision.")
def no_warnings(subject: Subject) -> Evidence:
    """Look at what was emitted by value and gradients, and the definition."""
    evidence = Evidence()
    for sample in subject.inputs():
        for _, rounded in precisions(subject, sample):
            if subject.rule != OWN and subject.call(rounded).run_rule() is None:
                continue  # it is left to the next rule, which takes another way than the definition's
            value_and_gradients(subject, rounded)
            definition_of(subject, rounded)
            for warning in subject.warned(rounded, "value", "gradients", "definition"):
                raise Refuted(f"it warns: {type(warning).__name__}: {warning}{on(subject, rounded)}")
            evidence.inputs += 1
    return evidence

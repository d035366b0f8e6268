"""Checks of gradients: rule against tape, tape against differences, their precision, and gradients of gradients."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.differentiate import vjp
from opbook.builtins.call import Call
from opbook.checks.check import Evidence, NotApplicable, Refuted, check
from opbook.checks.differences import (
    DIFFERENCE_TOLERANCE,
    central_difference,
    inner,
    remainder_falls_with_the_square,
    uneven,
)
from opbook.checks.samples import Sample
from opbook.checks.subject import (
    Subject,
    cotangent_of,
    gradients_of,
    is_differentiable,
    on,
    precisions,
    rounded_like,
)
from opbook.checks.tolerance import TOLERANCE, allowed, relative_error
from opbook.errors import TapeError

NOTHING = "there is no floating-point array to differentiate, or none in the value"


def differentiable_samples(subject: Subject) -> Iterator[tuple[Sample, Call]]:
    """The samples at which something is to be differentiated, each with its call."""
    found = False
    for sample, call in subject.calls():
        if is_differentiable(subject, sample):
            found = True
            yield sample, call
    if not found:
        raise NotApplicable(NOTHING)


def _smooth(subject: Subject) -> Iterator[tuple[Sample, Call]]:
    """Where differences can be taken: there must be a number that can move."""
    return (
        (sample, call) for sample, call in differentiable_samples(subject) if sample.is_smooth and _has_numbers(sample)
    )


def _has_numbers(sample: Sample) -> bool:
    arrays = sample.arrays("f")
    return not arrays or any(array.size for array in arrays)


def _defined(call: Call) -> tuple[Callable[..., Any], list[Any], list[int]]:
    """The definition as a function of the arguments that have floats in them; those arguments; their positions."""
    places = [i for i, argument in enumerate(call.positional) if _floats(argument)]

    def of_arrays(*arrays: Any) -> Any:
        complete = list(call.positional)
        for place, array in zip(places, arrays, strict=True):
            complete[place] = array
        return call.shape.definition(*complete, **call.keywords)

    return of_arrays, [call.positional[i] for i in places], places


def _floats(argument: Any) -> bool:
    return any(
        isinstance(leaf, float) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f")
        for leaf in tree.leaves(argument)
    )


def _leaf_names(call: Call, places: list[int]) -> list[str]:
    params = [p for p in call.shape.params if not p.keyword_only]
    return [f"argument {i + 1} ({name})" for i in places for name in tree.paths(call.positional[i], params[i].name)]


@check(
    "rule gradient",
    "The rule's gradient equals the tape's through the definition, for every argument and leaf.",
    measures="The rule's gradient equals the tape's through the definition",
)
def rule_gradient(subject: Subject) -> Evidence:
    """Compare leaf by leaf, so that a message says whose gradient is wrong."""
    evidence = Evidence()
    for sample, call in differentiable_samples(subject):
        found = call.run_rule()
        if found is None:
            continue
        value, pullback = found
        places = _defined(call)[2]
        _, pull_definition = _taped(subject, sample)
        for seed in (0, 1):
            g = cotangent_of(value, seed)
            by_rule, by_tape = pullback(g), pull_definition(g)
            mine = tree.leaves([by_rule[i] for i in places])
            for name, rule, tape in zip(_leaf_names(call, places), mine, tree.leaves(by_tape), strict=True):
                error = relative_error(rule, tape)
                if error > TOLERANCE["float64"]:
                    raise Refuted(
                        f"gradient of {name}: the rule's differs by {error:.1e} (at most {TOLERANCE['float64']:.0e}) "
                        f"from the tape's through the definition; {_where(rule, tape)}{on(subject, sample)}"
                    )
                evidence.measured(error)
        evidence.inputs += 1
    if not evidence.inputs:
        raise NotApplicable("no rule: the tape differentiates the definition")
    return evidence


def _where(rule: Any, tape: Any) -> str:
    """The worst entry, with both numbers and whose they are."""
    a, b = np.asarray(rule, np.float64), np.asarray(tape, np.float64)
    if a.shape != b.shape or not a.size:
        return f"the rule's has shape {a.shape}, the tape's {b.shape}"
    with np.errstate(invalid="ignore"):
        index = np.unravel_index(np.argmax(np.nan_to_num(np.abs(a - b), nan=np.inf)), a.shape)
    at = f" at {list(map(int, index))}" if index else ""
    return f"rule {a[index]:.6g}, tape {b[index]:.6g}{at}"


@check(
    "differences",
    "The definition's gradient agrees with central differences along random directions.",
    involves_rule=False,
    measures="The definition's gradient equals central differences",
)
def differences(subject: Subject) -> Evidence:
    """A direction of its own for each leaf, so that two gradients that were swapped can't make up for each other."""
    evidence = Evidence()
    for sample, call in _smooth(subject):
        wrong = [_slope_error(*slope) for slope in _slopes(subject, sample, call)]
        if any(error > DIFFERENCE_TOLERANCE for error in wrong):
            _blame(subject, sample, call)
        for error in wrong:
            evidence.measured(error)
        evidence.inputs += 1
    return evidence


def _slope_error(name: str, slope: float, along: Callable[[float], float], size: float) -> float:
    def error(estimate: float) -> float:
        return abs(slope - estimate) / max(abs(slope), abs(estimate), 1e-3 * size, 1e-6)

    found = error(central_difference(along))
    if found > DIFFERENCE_TOLERANCE:  # perhaps because the slope bends: what grows with the square of the step cancels
        found = error((4 * central_difference(along, 5e-6) - central_difference(along)) / 3)
    return found if np.isfinite(found) else np.inf


def _blame(subject: Subject, sample: Sample, call: Call) -> None:
    """Find the leaf whose gradient is furthest off."""
    slopes = list(_slopes(subject, sample, call, together=False))
    largest = max(size for *_, size in slopes)  # beside which the rounding of a slope of 0 is nothing
    name, slope, along, _ = max(slopes, key=lambda slope: _slope_error(slope[0], slope[1], slope[2], largest))
    raise Refuted(
        f"gradient of {name}: along a random direction the tape says {slope:.8g}, central differences say "
        f"{central_difference(along):.8g}{on(subject, sample)}"
    )


@check(
    "taylor",
    "The remainder of the first-order Taylor expansion falls with the square of the step.",
    involves_rule=False,
)
def taylor(subject: Subject) -> Evidence:
    """A second opinion that depends on no step, along one direction through each argument as a whole."""
    evidence = Evidence()
    for sample, call in _smooth(subject):
        for name, slope, along, size in _slopes(subject, sample, call):
            if not remainder_falls_with_the_square(along, slope, size):
                raise Refuted(
                    f"gradient of {name}: the remainder f(x + h·v) - f(x) - h·{slope:.6g} falls with h, not with h²"
                    f"{on(subject, sample)}"
                )
        evidence.inputs += 1
    return evidence


def _taped(subject: Subject, sample: Sample) -> Any:
    """The definition's value and its pullback, by the tape."""

    def differentiate() -> Any:
        of_arrays, arrays, _ = _defined(subject.call(sample))
        return vjp(of_arrays, *arrays)

    return subject.once("tape", sample, differentiate)


def _slopes(
    subject: Subject, sample: Sample, call: Call, together: bool = True
) -> Iterator[tuple[str, float, Callable[[float], float], float]]:
    """For each leaf: its name, the slope that the tape gives along a direction, the function along it, its size.

    Together, for each argument, all of whose leaves move at once, each in a direction of its own. That proves as
    much and makes a block with many weights cheap, but can't say which leaf is to blame.
    """
    of_arrays, arrays, places = _defined(call)
    value, pullback = _taped(subject, sample)
    g = cotangent_of(value)
    is_number = [np.isfinite(leaf) for leaf in tree.leaves(value)]  # infinity less infinity is no difference
    leaves = [
        np.asarray(leaf, np.float64) if isinstance(leaf, np.ndarray | float) else leaf for leaf in tree.leaves(arrays)
    ]
    gradients = tree.leaves(pullback(g))
    names = _leaf_names(call, places)
    directions: list[Any] = [
        None if gradient is None else uneven(np.shape(gradient), i) for i, gradient in enumerate(gradients)
    ]
    for name, moving in _groups(names, directions, together):

        def along(h: float, moving: list[int] = moving) -> float:
            moved = [leaf + h * directions[j] if j in moving else leaf for j, leaf in enumerate(leaves)]
            values = tree.leaves(of_arrays(*tree.unflatten(arrays, moved)))
            return inner(tree.leaves(g), map(np.where, is_number, values, [0.0] * len(values)))

        mine, steps = [gradients[j] for j in moving], [directions[j] for j in moving]
        yield name, inner(mine, steps), along, _norm(mine) * _norm(steps)


def _groups(names: list[str], directions: list[Any], together: bool) -> list[tuple[str, list[int]]]:
    """Which leaves move at once, and what they are called."""
    moving = [i for i, direction in enumerate(directions) if direction is not None]
    if not together:
        return [(names[i], [i]) for i in moving]
    grouped: dict[str, list[int]] = {}
    for i in moving:
        grouped.setdefault(names[i].split(" (")[0], []).append(i)
    return [(names[members[0]] if len(members) == 1 else name, members) for name, members in grouped.items()]


def _norm(arrays: list[Any]) -> float:
    return float(np.sqrt(sum(np.sum(np.square(a)) for a in arrays)))


@check("gradient dtypes", "Every gradient has its argument's structure, shape and dtype, in every precision.")
def gradient_dtypes(subject: Subject) -> Evidence:
    """Look at the gradients of float16, float32 and float64 input, and hold their numbers to those in float64."""
    evidence = Evidence()
    for sample, _ in differentiable_samples(subject):
        for name, rounded in precisions(subject, sample):
            value, gradients = gradients_of(subject, rounded)
            if not tree.same_structure(rounded.args, gradients):
                raise Refuted(f"the gradients are not built as the arguments are{on(subject, rounded)}")
            for path, argument, gradient in zip(
                tree.paths(rounded.args, "gradient"), tree.leaves(rounded.args), tree.leaves(gradients), strict=True
            ):
                if isinstance(argument, np.ndarray) and argument.dtype.kind == "f":
                    expected, got = (
                        (argument.shape, argument.dtype),
                        (np.shape(gradient), getattr(gradient, "dtype", None)),
                    )
                    if expected != got:
                        raise Refuted(
                            f"{path} must have shape and dtype {expected}, but has {got}{on(subject, rounded)}"
                        )
            wide = rounded.in_precision("float64")
            if wide is rounded:  # nothing to compare it with
                continue
            _, pull_wide = subject.op.value_and_pullback(*wide.args, **wide.kwargs)
            exact = pull_wide(tree.map(lambda leaf: np.asarray(leaf, np.float64), cotangent_of(value)))
            exact = rounded_like(exact, gradients)
            error = relative_error(gradients, exact)
            usual = 3 * TOLERANCE[name]  # a gradient is a longer computation than a value
            if error > usual:
                bound, words = allowed(usual, _plain_error(subject, rounded, exact))
                if error > bound:
                    raise Refuted(f"in {name} a gradient is off by {error:.1e} ({words}){on(subject, rounded)}")
        evidence.inputs += 1
    return evidence


def _plain_error(subject: Subject, sample: Sample, exact: Any) -> float:
    """How far the tape's gradients through the definition are off when all is computed in the sample's precision."""
    of_arrays, arrays, places = _defined(subject.call(sample))
    with np.errstate(all="ignore"):
        value, pullback = vjp(of_arrays, *arrays)
        gradients = pullback(cotangent_of(value))
    given = [i for i, place in enumerate(places) if place < len(exact)]  # what came by name has no gradient
    return relative_error([gradients[i] for i in given], [exact[places[i]] for i in given])


@check(
    "second order",
    "The gradient of a gradient is right, or refused with one clear error.",
    involves_rule=False,  # on two tapes, the definition is recorded
    is_slow=True,
)
def second_order(subject: Subject) -> Evidence:
    """Hold a Hessian-vector product of each argument to a central difference of gradients."""
    evidence = Evidence()
    for sample, call in _smooth(subject):
        for place, argument in enumerate(sample.args):
            if not _floats(argument):
                continue
            try:
                error = _hessian_error(subject, sample, place)
            except TapeError as refusal:
                evidence.note = f"refused: {refusal}"
                continue
            if not error <= 100 * DIFFERENCE_TOLERANCE:
                raise Refuted(
                    f"the second derivative by argument {place + 1} ({call.shape.params[place].name}) is off by "
                    f"{error:.1e} from a central difference of gradients{on(subject, sample)}"
                )
            evidence.measured(error)
        evidence.inputs += 1
    return evidence


def _hessian_error(subject: Subject, sample: Sample, place: int) -> float:
    leaves = tree.leaves(sample.args[place])
    moving = [leaf for leaf in leaves if _floats(leaf)]  # whole numbers in a record stay as they are
    value = subject.op(*sample.args, **sample.kwargs)
    weights = [uneven(np.shape(leaf), 7) for leaf in tree.leaves(value)]
    directions = [uneven(np.shape(leaf), 8) for leaf in moving]

    def loss(moved: Any) -> Any:
        supply = iter(moved)
        x = tree.unflatten(sample.args[place], [next(supply) if _floats(leaf) else leaf for leaf in leaves])
        result = subject.op(*sample.args[:place], x, *sample.args[place + 1 :], **sample.kwargs)
        # squared, as the second derivative of a linear op would be zero and prove nothing
        return sum((w * leaf * leaf).sum() for w, leaf in zip(weights, tree.leaves(result), strict=True))

    def slope(x: Any) -> Any:
        return vjp(loss, x)[1](1.0)[0]

    def slope_along(x: Any) -> Any:
        parts = zip(slope(x), directions, strict=True)
        return sum((gradient * direction).sum() for gradient, direction in parts)

    product = vjp(slope_along, moving)[1](1.0)[0]
    test = [uneven(np.shape(leaf), 9) for leaf in moving]

    def along(h: float) -> float:
        return float(slope_along([leaf + h * d for leaf, d in zip(moving, test, strict=True)]))

    exact, estimate = inner(product, test), central_difference(along)
    return abs(exact - estimate) / max(abs(exact), abs(estimate), 1e-2)

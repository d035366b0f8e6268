"""Checks of what is shared: memory with the caller, state between calls and threads."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.checks.check import Evidence, NotApplicable, Refuted, check
from opbook.checks.samples import Sample
from opbook.checks.subject import Subject, cotangent_of, is_differentiable, on, value_and_gradients

THREADS = 4


def _copy(sample: Sample) -> Sample:
    def copied(leaf: Any) -> Any:
        return leaf.copy() if isinstance(leaf, np.ndarray) else leaf

    return replace(sample, args=tree.map(copied, sample.args), kwargs=tree.map(copied, sample.kwargs))


def _arrays(*trees: Any) -> list[Any]:
    return [leaf for t in trees for leaf in tree.leaves(t) if isinstance(leaf, np.ndarray)]


def _bits(value: Any) -> list[bytes | None]:
    return [
        np.asarray(leaf).tobytes() if isinstance(leaf, np.ndarray | np.generic | int | float) else None
        for leaf in tree.leaves(value)
    ]


@check("inputs unchanged", "Nothing that the caller owns is written to: arguments, cotangent, mask.")
def inputs_unchanged(subject: Subject) -> Evidence:
    """Compare every array before and after, value and gradients both."""
    evidence = Evidence()
    for sample in subject.inputs():
        given = _bits((sample.args, sample.kwargs))
        mine = _copy(sample)
        if is_differentiable(subject, sample):
            value, pullback = subject.op.value_and_pullback(*mine.args, **mine.kwargs)
            g = cotangent_of(value)
            before = _bits(g)
            pullback(g)
            if _bits(g) != before:
                raise Refuted(f"the pullback writes into its cotangent{on(subject, sample)}")
        subject.op(*mine.args, **mine.kwargs)
        for name, old, new in zip(
            tree.paths((sample.args, sample.kwargs)),
            given,
            _bits((mine.args, mine.kwargs)),
            strict=True,
        ):
            if old != new:
                raise Refuted(f"it writes into its argument {name}{on(subject, sample)}")
        evidence.inputs += 1
    return evidence


@check("own memory", "Changing arguments, value or gradients afterwards changes no gradient: nothing is shared.")
def own_memory(subject: Subject) -> Evidence:
    """Overwrite everything the caller can reach between two calls of one pullback."""
    evidence = Evidence()
    for sample in subject.inputs():
        _value_is_own(subject, sample)
        evidence.inputs += 1
        if not is_differentiable(subject, sample):
            continue
        mine = _copy(sample)
        value, pullback = subject.op.value_and_pullback(*mine.args, **mine.kwargs)
        g = cotangent_of(value)
        before = pullback(g)
        _gradients_are_own(subject, sample, _arrays(before), _arrays(g, mine.args, mine.kwargs))
        kept = _bits(before)
        pullback(tree.map(lambda leaf: 2 * leaf, g))
        if _bits(before) != kept:
            raise Refuted(f"calling its pullback again changes the gradients of the first call{on(subject, sample)}")
        for label, arrays in (
            ("its arguments", _arrays(mine.args, mine.kwargs)),
            ("the value", _arrays(value)),
            ("the gradients of an earlier call", _arrays(before)),
        ):
            for array in arrays:
                if array.flags.writeable:
                    array[...] = True if array.dtype == np.bool_ else 77
            after = pullback(cotangent_of(value) if label == "its arguments" else g)
            if _bits(after) != kept:
                raise Refuted(
                    f"changing {label} in place changes its gradients: it must keep copies{on(subject, sample)}"
                )
    return evidence


def _gradients_are_own(subject: Subject, sample: Sample, gradients: list[Any], given: list[Any]) -> None:
    if any(np.may_share_memory(a, b) for a in gradients for b in given):
        raise Refuted(f"a gradient shares memory with an argument or the cotangent{on(subject, sample)}")
    if not all(gradient.flags.writeable for gradient in gradients):
        raise Refuted(f"a gradient is read-only, so some of its entries share memory{on(subject, sample)}")


def _value_is_own(subject: Subject, sample: Sample) -> None:
    mine = _copy(sample)
    value = subject.op(*mine.args, **mine.kwargs)
    if any(np.may_share_memory(a, b) for a in _arrays(value) for b in _arrays(mine.args, mine.kwargs)):
        raise Refuted(f"the value shares memory with an argument{on(subject, sample)}")


@check(
    "threads", f"{THREADS} threads at once, each with other numbers, get the bits that each gets alone.", is_slow=True
)
def threads(subject: Subject) -> Evidence:
    """Run the largest sample, scaled for each thread, in many threads that start together, in two precisions."""
    largest = max(subject.samples, key=lambda sample: sum(array.size for array in _arrays(sample.args)))
    subject.current = largest
    scaled = [largest.with_arrays(lambda array, i=i: array * (1 + i / 64)) for i in range(THREADS)]  # type: ignore[misc]
    for dtype in ("float64", "float32"):
        samples = [sample.in_precision(dtype) for sample in scaled]
        if not _bits_alone_and_together(subject, samples):
            raise Refuted(f"threads at once get other bits than one alone{on(subject, samples[0])}")
    return Evidence(inputs=2 * THREADS)


def _bits_alone_and_together(subject: Subject, samples: list[Sample]) -> bool:
    alone = [_bits(value_and_gradients(subject, sample)) for sample in samples]
    barrier = threading.Barrier(len(samples))

    def run(i: int) -> bool:
        barrier.wait()
        return all(_bits(value_and_gradients(subject, samples[i])) == alone[i] for _ in range(2))

    with ThreadPoolExecutor(len(samples)) as pool:
        return all(pool.map(run, range(len(samples))))


@check("memory", "Dropping value and pullback frees their memory at once, without the garbage collector.")
def memory(subject: Subject) -> Evidence:
    """Look whether arguments, value and gradients are gone once nobody holds them."""
    samples = [s for s in subject.samples if s.has_floats()]
    if not samples:
        raise NotApplicable("it takes no floating-point array")
    value_and_gradients(subject, samples[0])  # whatever is made once and kept is not what this looks for
    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()  # what is there already need not be gone through
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for sample in samples:
            mine = _copy(sample)
            result = value_and_gradients(subject, mine)
            held = [weakref.ref(array) for array in _arrays(mine.args, mine.kwargs, result)]
            del mine, result
            alive = [array for ref in held if (array := ref()) is not None]
            if alive:
                raise Refuted(
                    f"an array of shape {alive[0].shape} stays alive after value and pullback are gone: something "
                    f"global or a reference cycle holds it{on(subject, sample)}"
                )
        gc.collect()
        # arrays themselves are none of the collector's business, but what holds on to them is
        if any(isinstance(held, np.ndarray) for item in gc.garbage for held in gc.get_referents(item)):
            raise Refuted("reference cycles keep arrays alive until the garbage collector runs")
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.unfreeze()
        if was_enabled:
            gc.enable()
    return Evidence(inputs=len(samples))

"""The work of a comparison: one input after the other, in every precision, then what a function must not do."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.checks.comparison.behaviour import Trial, faults, has_rubbish, leave_rubbish, of_interest
from opbook.checks.comparison.case import Case, judge
from opbook.checks.comparison.kernel import Arguments, Kernel, LeftOut, Misbehaved, given_by_name, optional_fields
from opbook.checks.comparison.report import Comparison
from opbook.checks.refusals import place_of
from opbook.checks.samples import Sample
from opbook.checks.subject import cotangent_of, is_numeric
from opbook.checks.tolerance import SLACK, TOLERANCE, relative_error


@dataclass(frozen=True)
class Session:
    """A comparison that goes on: what does not change from input to input."""

    op: Builtin
    kernel: Kernel
    gradient: Kernel | None
    dtypes: tuple[str, ...]
    may_view: bool
    asks_for_half: bool = False
    tolerance: float | None = None
    no_worse_than: str | None = None
    cotangent: Callable[[Any], Any] = cotangent_of

    def compared(self, samples: list[Sample]) -> Comparison:
        """Compare on inputs, ordinary and short ones first."""
        library = self.kernel.library
        found = Comparison(self.kernel.name, self.op.name, library.name, library.reason)
        for sample in sorted(samples, key=lambda one: (not one.is_ordinary, len(one.kwargs), not one.is_generated)):
            found.cases += self.cases(sample, found)
        found.cases += self.behaviours(samples, found)
        return found

    def cases(self, sample: Sample, found: Comparison) -> Iterator[Case]:
        """Value, and gradient if there is a function for it, in every precision."""
        shape = self.op.bind(sample.args, sample.kwargs).shape
        try:
            self.kernel.arguments(shape, sample)
        except LeftOut as option:
            yield Case(sample.label, "", "value", "left out", message=str(option))
            return
        for dtype, rounded in sample.in_every_precision(self.dtypes):
            arguments = self.kernel.arguments(shape, rounded)
            exact = rounded.in_precision("float64")
            expected = self.op.bind(exact.args, exact.kwargs).define()
            allowed, is_hard = self._allowed(rounded, expected, dtype)
            is_edge = not sample.is_ordinary or is_hard or (dtype == "float16" and not self.asks_for_half)
            case = Case(
                sample.label, dtype, "value", "", is_edge, tolerance=allowed, paste=self.kernel.written(arguments)
            )
            compared = self._compared(case, lambda: self._value(arguments, expected, dtype, found), expected)  # noqa: B023
            fields = optional_fields(shape, sample)
            if compared.status == "failed" and self.kernel.knows_nothing_of(fields):
                yield Case(sample.label, dtype, "value", "left out", message=", ".join(sorted(fields)))
                continue
            yield compared
            if self.gradient is not None and sample.has_floats() and is_numeric(expected):
                yield self._gradient_case(replace(case, what="gradient"), rounded, exact, expected)

    def _allowed(self, rounded: Sample, expected: Any, dtype: str) -> tuple[float, bool]:
        """The error allowed, and whether the definition itself is further off in that precision than is usual."""
        if self.tolerance is not None:
            return self.tolerance, False
        if self.no_worse_than is not None:
            plain = _plain_error(self.op, rounded.in_precision(self.no_worse_than), expected)
            return max(2 * plain, TOLERANCE[dtype]), not np.isfinite(plain)
        plain = _plain_error(self.op, rounded, expected)
        return max(SLACK * plain, TOLERANCE[dtype]), plain > TOLERANCE[dtype]

    def _value(self, arguments: Arguments, expected: Any, dtype: str, found: Comparison) -> Any:
        leave_rubbish(self.kernel.library, expected)
        returned = self.kernel.call(arguments)
        value = of_interest(returned.value, expected)
        if value is not returned.value:
            found.notes.setdefault("several", f"it returns {len(returned.value)} results; the first is compared")
        shared = "" if self.may_view else replace(returned, value=value).shares_memory_with()
        if shared:
            raise Misbehaved(f"what it returns shares memory with its argument {shared}: return a copy")
        out = {
            str(leaf.dtype) for leaf in tree.leaves(value) if getattr(getattr(leaf, "dtype", None), "kind", "") == "f"
        }
        if is_numeric(expected) and out and out != {dtype}:
            others = ", ".join(sorted(out))
            found.notes.setdefault(f"dtype {dtype}", f"{dtype} goes in, but {others} comes out")
        return value

    def _compared(self, case: Case, run: Callable[[], Any], expected: Any, names: Sequence[str] = ()) -> Case:
        start = time.perf_counter()
        status, error, message = "refused", None, ""
        is_edge, value = case.is_edge, None
        try:
            value = run()
        except Misbehaved as fault:
            status, message, is_edge = "failed", str(fault), False
        except (Exception, SystemExit) as reason:  # foreign code may raise anything
            place = place_of(reason)
            message = f"{type(reason).__name__}: {reason}" + (f" ({place})" if place else "")
        else:
            status, error, message = judge(value, expected, case.tolerance or 0.0, names)
            if status == "failed" and has_rubbish(value):
                message += "; memory was read that nobody wrote to"
            if status == "failed" and error is not None:
                narrow = _narrower(value, case.dtype)
                message += f"; every number is one of {narrow}" if narrow else ""
                # what is right but for its precision is no other function
                is_edge |= case.dtype == "float64" and _fits(value, "float32") and error <= TOLERANCE["float32"]
        seconds = time.perf_counter() - start
        return replace(case, status=status, error=error, message=message, is_edge=is_edge, seconds=seconds)

    def _gradient_case(self, case: Case, rounded: Sample, exact: Sample, value: Any) -> Case:
        assert self.gradient is not None
        g = Sample("", (self.cotangent(value),)).in_precision(case.dtype).args[0]
        wide = tree.map(lambda leaf: np.asarray(leaf, np.float64), g)
        expected = self.op.value_and_pullback(*exact.args, **exact.kwargs)[1](wide)
        own = self.op.value_and_pullback(*rounded.args, **rounded.kwargs)[1](g)
        usual = TOLERANCE[case.dtype] if self.tolerance is None else self.tolerance
        usual *= 3  # a gradient is a longer computation
        reached = 0.0 if self.tolerance is not None else relative_error(list(own), list(expected))
        kernel = self.gradient
        try:
            arguments = kernel.arguments(self.op.bind(rounded.args, rounded.kwargs).shape, rounded)
        except LeftOut as option:
            return replace(case, status="left out", message=str(option))
        given = Arguments((("g", g), *arguments.positional), arguments.options)
        case = replace(case, tolerance=max(usual, SLACK * reached), paste=kernel.written(given))
        shape = self.op.bind(exact.args, exact.kwargs).shape
        chosen = {
            param.name: gradient
            for param, argument, gradient in zip(shape.positional, exact.args, expected, strict=False)
            if any(isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" for leaf in tree.leaves(argument))
        }
        names = [path for name, one in chosen.items() for path in tree.paths(one, f"gradient of {name}")]

        def run() -> Any:
            got = kernel.call(given).value
            return tuple(got) if isinstance(got, tuple | list) else (got,)

        return self._compared(case, run, tuple(chosen.values()), names)

    def behaviours(self, samples: list[Sample], found: Comparison) -> Iterator[Case]:
        """What can't be seen in one call: in each precision, on an ordinary input on which the function was right."""
        for dtype in self.dtypes:
            trial = self._trial(samples, found, dtype)
            if trial is not None and (dtype != "float16" or self.dtypes == ("float16",)):
                yield from self._tried(trial, dtype, samples)

    def _tried(self, trial: Trial, dtype: str, samples: list[Sample]) -> Iterator[Case]:
        nan_is_edge = any(self._is_nan_edge(sample) for sample in samples)
        paste = self.kernel.written(trial.arguments(trial.sample))
        for name, fault in faults(trial):
            status = "failed" if fault else "passed"
            is_edge = nan_is_edge and name == "a NaN in the input"
            yield Case(name, dtype, "behaviour", status, is_edge, message=fault, paste=paste)

    def _is_nan_edge(self, sample: Sample) -> bool:
        """Whether an author calls it an edge that there is a NaN in a required argument."""
        shape = self.op.bind(sample.args, sample.kwargs).shape
        no_options = all(p.required or p.name not in given_by_name(shape, sample) for p in shape.params)
        return sample.is_edge and no_options and any(np.isnan(array).any() for array in sample.arrays("f"))

    def _trial(self, samples: list[Sample], found: Comparison, dtype: str) -> Trial | None:
        by_label = {sample.label: sample for sample in reversed(samples)}
        passed = [c for c in found.cases if c.what == "value" and c.status == "passed" and not c.is_edge]
        fitting = [
            c for c in passed if c.dtype == dtype and by_label[c.label].is_smooth and _size(by_label[c.label]) > 3
        ]
        for case in sorted(fitting, key=lambda c: (bool(by_label[c.label].kwargs), _size(by_label[c.label]) > 200)):
            sample = by_label[case.label].in_precision(case.dtype)
            return Trial(self.op, self.kernel, sample, case.tolerance or 0.0)
        return None


def _size(sample: Sample) -> int:
    return sum(array.size for array in sample.arrays("f"))


def _plain_error(op: Builtin, sample: Sample, expected: Any) -> float:
    """How far the definition is off when it is computed in the sample's precision."""
    call = op.bind(sample.args, sample.kwargs)
    try:
        with np.errstate(all="ignore"):
            return relative_error(call.shape.definition(*call.positional, **call.keywords), expected)
    except ValueError:  # such as one that finds its own intermediate results too large
        return float("inf")


def _narrower(value: Any, dtype: str) -> str:
    """A narrower precision that holds every number exactly, if there are enough numbers to tell."""
    arrays = [np.asarray(leaf, np.float64) for leaf in tree.leaves(value) if hasattr(leaf, "dtype")]
    if sum(array.size for array in arrays) < 3 or all(np.all(array == array.flat[0]) for array in arrays if array.size):
        return ""
    if dtype == "float16":
        return ""
    names = ("float16", "bfloat16", "float32")[: 2 if dtype == "float32" else 3]
    return next((name for name in names if _fits(value, name)), "")


def _fits(value: Any, dtype: str) -> bool:
    """Whether a precision holds every number exactly."""
    arrays = [np.asarray(leaf, np.float64) for leaf in tree.leaves(value) if hasattr(leaf, "dtype")]
    with np.errstate(all="ignore"):
        if dtype == "bfloat16":  # which NumPy lacks: float32 without its last 16 bits
            rounded = [(array.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32) for array in arrays]
        else:
            rounded = [array.astype(dtype) for array in arrays]
    return all(np.array_equal(a.astype(np.float64), b, equal_nan=True) for a, b in zip(rounded, arrays, strict=True))

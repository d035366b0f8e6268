"""What checks share: one evaluation for all that look at it, and none where an evaluation of one's own is the point."""

import warnings

import numpy as np
import pytest

from opbook import Array, builtin
from opbook.checks import CHECKS
from opbook.checks.inputs import samples_of
from opbook.checks.samples import Sample
from opbook.checks.subject import Subject, precisions, value_and_gradients, value_of
from opbook.checks.verification import run


def counting(warn=False):
    """An op that notes the dtype and the numbers of every call, and may warn."""
    seen = []

    @builtin(category="Tests")
    def op(x: Array["N"]) -> Array["N"]:
        """Doubles.

        Args:
            x: Numbers.

        Returns:
            Twice the numbers.
        """
        seen.append(x)
        if warn:
            warnings.warn("it is late", RuntimeWarning, stacklevel=2)
        return 2 * x

    return op, seen


def test_a_sample_is_evaluated_once_and_a_copy_of_it_every_time():
    op, seen = counting()
    sample, copy = Sample("", (np.ones(3),)), Sample("", (np.ones(3),))
    subject = Subject(op, [sample])
    assert value_of(subject, sample) is value_of(subject, sample)
    assert len(seen) == 1
    assert value_of(subject, copy) is not value_of(subject, copy)
    assert len(seen) == 3


def test_a_cotangent_in_another_layout_is_another_evaluation():
    op, _ = counting()
    sample = Sample("", (np.ones(3),))
    subject = Subject(op, [sample])
    laid = []
    _, gradients = value_and_gradients(subject, sample)
    _, again = value_and_gradients(subject, sample, lambda array: laid.append(array) or array)
    assert laid
    assert gradients[0] is not again[0]


def test_a_sample_that_is_wide_already_stands_for_itself_in_float64():
    op, _ = counting()
    sample = Sample("", (np.ones(3),))
    subject = Subject(op, [sample])
    rounded = dict(precisions(subject, sample))
    assert rounded["float64"] is sample
    assert rounded["float16"].args[0].dtype == np.float16
    assert precisions(subject, sample)[0][1] is rounded["float16"]


def test_what_raises_is_tried_again():
    op, _ = counting()
    sample = Sample("", (np.ones(3),))
    subject = Subject(op, [sample])
    with pytest.raises(ZeroDivisionError):
        subject.once("value", sample, lambda: 1 / 0)
    np.testing.assert_array_equal(value_of(subject, sample), [2, 2, 2])


def test_a_warning_is_found_by_its_check_though_another_one_made_the_evaluation():
    op, _ = counting(warn=True)
    subject = Subject(op, samples_of(op))
    assert run(CHECKS["definition"], subject).status == "passed"
    assert run(CHECKS["dtypes"], subject).status == "passed"
    assert run(CHECKS["gradient dtypes"], subject).status == "passed"
    found = run(CHECKS["warnings"], subject)
    assert found.status == "failed"
    assert found.message.startswith("it warns: RuntimeWarning: it is late (on ")

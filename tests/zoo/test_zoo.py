"""Every wrong animal of the zoo is refuted, and every right one is accepted."""

import importlib

import pytest
from zoo.animals import ANIMALS

from opbook.testing import compare

CAGES = ("normalization", "scaling", "units", "linear", "along_an_axis", "batches")
for cage in CAGES:
    importlib.import_module(f"zoo.{cage}")


@pytest.mark.parametrize("animal", ANIMALS, ids=str)
def test_the_verdict_is_the_right_one(animal):
    found = compare(animal.function, animal.op, gradient=animal.gradient)
    assert found.verdict == ("agrees" if animal.is_right else "is wrong"), found.sentence

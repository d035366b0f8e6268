"""Every wrong animal of the zoo is refuted, and every right one is accepted."""

import importlib
from pathlib import Path

import pytest
from zoo.animals import ANIMALS

from opbook.testing import compare

CAGES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("test_"))
for cage in CAGES:
    importlib.import_module(f"zoo.{cage}")


@pytest.mark.parametrize("animal", ANIMALS, ids=str)
def test_the_verdict_is_the_right_one(animal):
    found = compare(animal.function, animal.op, gradient=animal.gradient, dtypes=("float32", "float64"))
    assert found.verdict == ("agrees" if animal.is_right else "is wrong"), found.sentence

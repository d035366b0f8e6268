"""Every wrong animal of the zoo is refuted, and every right one is accepted."""

import pytest
from zoo.animals import animals
from zoo.census import census, shown
from zoo.cheats import CHEATS, IDIOMS

from opbook.plugins.catalogue import catalogue
from opbook.testing import compare


@pytest.mark.parametrize("animal", animals(), ids=str)
def test_the_verdict_is_the_right_one(animal):
    everywhere = animal.kind in CHEATS or animal.kind in IDIOMS
    dtypes = ("float64",) if everywhere else ("float32", "float64")
    found = compare(animal.function, animal.op, gradient=animal.gradient, dtypes=dtypes)
    assert found.verdict == ("agrees" if animal.is_right else "is wrong"), found.sentence


def test_every_op_with_a_rule_has_its_animals():
    loaded = catalogue()
    for op in (name for name in loaded if loaded[name].own_rule is not None):
        wrong, right = ([a for a in animals() if a.op == op and a.is_right is is_right] for is_right in (False, True))
        assert len(wrong) >= 10, op
        assert len(right) >= 5, op


@pytest.mark.peer
def test_the_page_has_the_counts():
    pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")
    assert shown() == census(), "run python tests/zoo/census.py"

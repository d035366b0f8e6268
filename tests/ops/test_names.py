"""A builtin is found under the names that libraries and papers have for it."""

import pytest
from ops.library_names import NAMES

from opbook.plugins.catalogue import catalogue


def test_every_builtin_of_ours_is_on_the_list():
    assert set(NAMES) == set(catalogue())


@pytest.mark.parametrize("builtin", NAMES)
def test_its_names_are_among_what_the_index_filters_by(builtin):
    op = catalogue()[builtin]
    row = " ".join([op.name, *op.aliases]).lower()
    missing = [name for name in NAMES[builtin] if not all(word in row for word in name.lower().split())]
    assert not missing, f"aliases of {builtin} lack {missing}"


def test_no_alias_stands_there_twice():
    for op in catalogue().values():
        assert len(op.aliases) == len(set(op.aliases)), op.name

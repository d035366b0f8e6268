"""Which names of dimensions the arguments fix; a check that needs another one could never be made, and is refused."""

from collections.abc import Iterable, Iterator

from opbook.builtins.specs.arrays import ArraySpec, IntSpec, MaskSpec
from opbook.builtins.specs.dimensions import Dim, is_name, names_in, solved
from opbook.builtins.specs.spec import Spec
from opbook.builtins.specs.structures import DictSpec, RecordSpec, SequenceSpec
from opbook.errors import DeclarationError


def refuse_unknown_names(params: Iterable[tuple[str, Spec]], returns: Spec) -> None:
    """Refuse annotations that need a dimension which no argument tells.

    Raises:
        DeclarationError: There is such a dimension.
    """
    params = list(params)
    known = _fixed([spec for _, spec in params], set())
    for name, spec in params:
        _check(spec, name, known)
    for array in _arrays(returns):
        sums = [dim for dim in array.dims if not is_name(dim)]
        _refuse(sums, "the result", known)


def _fixed(specs: Iterable[Spec], outer: set[str]) -> set[str]:
    """The names that arrays of some specs fix, alone or by arithmetic with one unknown name."""
    arrays = [array for spec in specs for array in _arrays(spec) if not isinstance(array, MaskSpec)]
    known = outer | {str(dim).removeprefix("#") for array in arrays for dim in array.dims if is_name(dim)}
    sums = [dim for array in arrays for dim in array.dims if not is_name(dim)]
    for _ in sums:
        known |= {found[0] for dim in sums if (found := solved(dim, 1, dict.fromkeys(known, 1)))}
    return known


def _arrays(spec: Spec) -> Iterator[ArraySpec]:
    """The arrays in a spec whose dimensions hold everywhere in a call: all but those of several records."""
    if isinstance(spec, ArraySpec):
        yield spec
    for part in spec.parts:
        if not _is_one_of_several(spec, part):
            yield from _arrays(part)


def _is_one_of_several(spec: Spec, part: Spec) -> bool:
    return isinstance(spec, SequenceSpec | DictSpec) and isinstance(part, RecordSpec)


def _check(spec: Spec, path: str, known: set[str]) -> None:
    if isinstance(spec, ArraySpec):
        needed: list[Dim] = list(spec.dims) if isinstance(spec, MaskSpec) else [d for d in spec.dims if not is_name(d)]
        if isinstance(spec, IntSpec):
            needed += spec.bounds
        _refuse(needed, path, known)
    for part in spec.parts:
        _check(part, path, _fixed([part], known) if _is_one_of_several(spec, part) else known)


def _refuse(dims: Iterable[Dim], path: str, known: set[str]) -> None:
    for dim in dims:
        for name in names_in(dim):
            if name not in known:
                where = "" if dim == name else f", which {dim} needs"
                raise DeclarationError(
                    f"{path}: no argument says what {name} is{where}; give one the dimension {name} by itself"
                )

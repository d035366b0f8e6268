"""Generates inputs from annotations: a value for each required argument, and for each option in turn."""

from dataclasses import dataclass, replace
from typing import Any

from opbook.builtins.signature import CallShape
from opbook.builtins.specs import ArraySpec, Binding, RecordSpec, SequenceSpec, UnionSpec
from opbook.checks.maker import Maker, within
from opbook.checks.samples import Draw, Sample
from opbook.errors import OpbookError

SIZES = (3, 4, 5, 7, 11, 13)
"""All different, and none divides another, so that no axis can stand in for another one."""

LARGER = (33, 18, 20, 35, 17, 19)
"""Beyond the tiles of 8, 16 and 32 that kernels are built of, and no multiple of them."""


@dataclass(frozen=True)
class Kind:
    """A kind of input that is generated for every call shape.

    Attributes:
        label: What is special about it.
        sizes: The lengths that dimensions get, one after the other.
        batches: The batch axes that arguments get, one after the other.
        scale: What the numbers are multiplied with.
        items: How many items a tuple of any length has.
        part: Which of several things an argument is that may be one of them.
        whole: Whether records have the fields that may be left out. Another library may know nothing of them.
        is_smooth: Whether differences are taken on it.
        varied: Whether options are tried on top of it.
        together: Whether all options at once are tried on top of it.
    """

    label: str
    sizes: tuple[int, ...] = SIZES
    batches: tuple[tuple[int, ...], ...] = ((),)
    scale: float = 1.0
    items: int = 2
    part: int = 0
    whole: bool = False
    is_smooth: bool = True
    varied: bool = False
    together: bool = False

    def sample(self, shape: CallShape, draw: Draw) -> Sample:
        """Generate the input for a call shape.

        Returns:
            The sample; required arguments are positional where they can be.

        Raises:
            DeclarationError: The annotation of an argument does not say what values it can have.
        """
        maker = Maker(self.sizes, draw, self.batches, items=self.items, part=self.part, whole=self.whole)
        maker.solve([param.spec for param in shape.params if param.required] + [shape.returns])
        given = {param.name: maker.make(param.spec, param.name) for param in shape.params if param.required}
        sample = placed(shape, self.label, given)
        if self.scale != 1:
            sample = sample.with_arrays(lambda array: array * self.scale)
        return replace(sample, is_smooth=self.is_smooth, is_edge=self.whole, is_generated=True)


KINDS = (
    Kind("no batch axes", varied=True),
    Kind("equal sizes", (3,), varied=True, together=True),
    Kind("one of everything", (1,)),
    Kind("a batch", batches=((2,),), sizes=(5, 3, 7, 11), varied=True),
    Kind("two batch axes", batches=((2, 3),), sizes=(5, 7, 11, 13), varied=True),
    Kind("three batch axes", batches=((2, 5, 3),), sizes=(4, 7, 11, 13), is_smooth=False),
    # where axes that are taken for one another do not even lead to an error
    Kind("equal sizes and batch axes", (3,), batches=((3, 3),), is_smooth=False),
    Kind("two batch axes that broadcast", batches=((2, 1), (1, 3), (3,)), varied=True),
    Kind("an empty batch", batches=((0,),)),
    Kind("no entries", (0,)),
    Kind("larger sizes", LARGER, is_smooth=False),
    # formulas overflow there that are right near 0
    Kind("numbers up to some 1000", scale=1000, is_smooth=False),
)

OF_TUPLES = (
    Kind("a tuple of none", items=0),
    Kind("a tuple of one", items=1),
    Kind("a tuple of three", (5, 3, 7, 11), ((2, 1), (3,), (1, 3)), items=3),
)
"""Beside the others where a tuple may have any length. A rule that drops the third item passes with two."""

WHOLE_RECORDS = (
    Kind("records with all their fields", whole=True, varied=True),
    Kind("records with all their fields, in a batch", (5, 3, 7, 11), ((2, 3),), whole=True),
)
"""Beside the others where records have fields that may be left out."""


def kinds_for(shape: CallShape) -> list[Kind]:
    """List the kinds of input that a call shape can have.

    Returns:
        All, or those without batch axes if no argument can have any; and those of what the annotations leave open.
    """
    specs = [spec for param in shape.params if param.required for spec in within(param.spec)]
    batched = any(isinstance(spec, ArraySpec) and spec.batched for spec in specs)
    kinds = [kind for kind in KINDS if batched or kind.batches == ((),)]
    if any(isinstance(spec, SequenceSpec) and spec.any_length for spec in specs):
        kinds += OF_TUPLES
    if any(isinstance(spec, RecordSpec) and spec.optional for spec in specs):
        kinds += WHOLE_RECORDS
    choices = max((len(spec.parts) for spec in specs if isinstance(spec, UnionSpec)), default=1)
    return kinds + [Kind(f"choice {part + 1} of several", part=part, varied=True) for part in range(1, choices)]


def placed(shape: CallShape, label: str, given: dict[str, Any]) -> Sample:
    """Pass required arguments by position where they can be, the others by name."""
    names = [p.name for p in shape.params if p.required and not p.keyword_only]
    return Sample(label, tuple(given[n] for n in names), {n: v for n, v in given.items() if n not in names})


def given_by(shape: CallShape, sample: Sample) -> set[str]:
    """List the arguments that a sample gives."""
    names = [p.name for p in shape.params if not p.keyword_only]
    return {*names[: len(sample.args)], *sample.kwargs}


def dimensions(shape: CallShape, sample: Sample) -> Binding | None:
    """Find the sizes that a sample gives to the dimensions of a call shape.

    Returns:
        The sizes; None if the sample belongs to another call shape.
    """
    binding = Binding()
    names = [p for p in shape.params if not p.keyword_only]
    if len(sample.args) > len(names):
        return None
    try:
        for param, value in zip(names, sample.args, strict=False):
            param.spec.convert(value, param.name, binding)
        binding.finish()
    except OpbookError:
        return None
    return binding

"""Checks of the properties that plugins state of builtins."""

from opbook.builtins.property import Property
from opbook.checks.answers import on
from opbook.checks.model import Check, Evidence, Refuted, Subject
from opbook.checks.numbers import TOLERANCE, relative_error


def check_of(stated: Property) -> Check:
    """Make a check of a property.

    Args:
        stated: The property.

    Returns:
        The check, which holds one side of it to the other on every input that it says something of.
    """

    def run(subject: Subject) -> Evidence:
        evidence = Evidence()
        for sample in subject.samples:
            sides = stated.sides(subject.op, *sample.args, **sample.kwargs)
            if sides is None:
                continue
            error = relative_error(*sides)
            if error > TOLERANCE["float64"]:
                raise Refuted(
                    f"it does not hold that: {stated.sentence} The two sides differ by {error:.1e} (at most "
                    f"{TOLERANCE['float64']:.0e}){on(subject, sample)}"
                )
            evidence.measured(error)
            evidence.inputs += 1
        if not evidence.inputs:
            raise Refuted(f"it says nothing of any of the {len(subject.samples)} inputs: its sides are None for each")
        return evidence

    return Check(stated.name, stated.sentence, run)

"""Checks of the properties that plugins state of builtins."""

from opbook.builtins.property import Property
from opbook.checks.check import Check, Evidence, Refuted
from opbook.checks.subject import Subject, on
from opbook.checks.tolerance import TOLERANCE, relative_error


def check_of(statement: Property) -> Check:
    """Make a check of a property.

    Returns:
        The check, which holds one side of it to the other on every input that it says something of.
    """

    def run(subject: Subject) -> Evidence:
        evidence = Evidence()
        for sample in subject.inputs():
            sides = statement.sides(subject.op, *sample.args, **sample.kwargs)
            if sides is None:
                continue
            error = relative_error(*sides)
            if error > TOLERANCE["float64"]:
                raise Refuted(
                    f"the property does not hold: {statement.sentence} The two sides differ by {error:.1e} (at most "
                    f"{TOLERANCE['float64']:.0e}){on(subject, sample)}"
                )
            evidence.measured(error)
            evidence.inputs += 1
        if not evidence.inputs:
            raise Refuted(f"it applies to none of the {len(subject.samples)} inputs: its sides are None for each")
        return evidence

    return Check(statement.name, statement.sentence, run)

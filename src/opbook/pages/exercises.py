"""Exercises as a page shows them: the stub to begin with; hints, wrong answers and a right one folded away."""

import base64

from opbook.examples.exercise import Exercise
from opbook.exercises import Proof
from opbook.exercises.judging import RULE_OF
from opbook.pages import markdown
from opbook.pages.addresses import Addresses, between
from opbook.pages.rendering import environment


def folded(proof: Proof, here: str, addresses: Addresses) -> str:
    """Write an exercise as Markdown.

    Args:
        proof: The exercise, with what the check says of its wrong answers.
        here: The address of the page.
        addresses: Those of the builtins.
    """
    exercise = proof.exercise
    template = environment().get_template("exercise.md.jinja")
    return markdown.tidy(
        template.render(
            exercise=exercise,
            source=base64.b64encode(exercise.source.encode()).decode(),  # so that no renderer sees Markdown in it
            judged=_judged(exercise, here, addresses),
            wrong=list(zip(exercise.wrong, proof.wrong, strict=False)),
        )
    ).rstrip()


def _judged(exercise: Exercise, here: str, addresses: Addresses) -> str:
    """Says what an answer is held to."""
    name = exercise.judged_by.removeprefix(RULE_OF).strip()
    if not name:
        return "A test judges it."
    uri = addresses.builtins.get(name)
    op = f"[`{name}`]({between(here, uri)})" if uri else f"`{name}`"
    if exercise.judged_by.startswith(RULE_OF):
        return f"Value and gradient are compared with {op}."
    return f"It is compared with {op}."

"""`opbook course rerun 8`: make the stored run again, and hold it to what is stored."""

import time
from pathlib import Path

import click

from opbook.errors import InputError


def rerun(chapters: tuple[str, ...], folder: Path) -> bool:
    """Make a stored run again, a line for each point of its curve.

    Args:
        chapters: What was named behind `rerun`.
        folder: Where to keep what was reached; a folder for the run is made in it.

    Returns:
        Whether it came out as stored: to the bit, or within the tolerance.

    Raises:
        InputError: There is no stored run of that chapter.
    """
    if chapters not in (("8",), ("text",), ("08-text",)):
        raise InputError("there is one stored run, that of chapter 8: opbook course rerun 8")
    from opbook_course.runs import EVERY, STEPS, again, stored

    was, began, run = stored(), time.monotonic(), None
    try:
        for run in again():
            point = run.curve[-1]
            if point.step == 0:
                _say_text(run.text, was.text, run.python, was.python)
            before = was.curve[point.step // EVERY].held_out
            click.echo(
                f"step {point.step:4} of {STEPS}: held-out loss {point.held_out:.4f} (stored {before:.4f}), "
                f"{time.monotonic() - began:.0f} s"
            )
    except KeyboardInterrupt:
        if run is None:
            raise
        click.echo("\nStopped.")
    if run is None:
        return False
    click.echo(f"What was reached is in {run.save(folder / 'run-8')}.")
    return _compared(run, was)


def _say_text(text: str, stored: str, python: str, stored_python: str) -> None:
    if text == stored:
        click.echo(f"The text is that of the stored run: {text}.")
    else:
        click.echo(
            f"Python {python} has another text ({text}) than {stored_python} ({stored}): the numbers will differ."
        )


def _compared(run, was) -> bool:
    """Say how a run came out beside the stored one."""
    from opbook_course.runs import STEPS, TOLERANCE

    last = len(run.curve) - 1
    if run.curve == was.curve[: last + 1]:
        complete = run.curve[-1].step == STEPS
        if not complete or run.hash == was.hash:
            click.echo(f"The same to the bit, {f'weights {run.hash}' if complete else 'so far'}.")
            return True
    gap = abs(run.curve[-1].held_out - was.curve[last].held_out)
    click.echo(
        f"The held-out loss differs by {gap:.4f}; up to {TOLERANCE} is expected on another machine, or with other "
        "versions of opbook, NumPy or Python."
    )
    return gap <= TOLERANCE

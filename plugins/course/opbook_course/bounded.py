"""Judges an answer in a process of its own, which is ended when it takes too long."""

import multiprocessing
import os
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from opbook.examples import Exercise
from opbook.exercises import Verdict, judge, mistakes_in

SECONDS = 20.0
"""How long judging an answer may take; a right one takes less than one."""


@dataclass(frozen=True)
class Judged:
    """What was found about an answer, and the mistakes that it may come from.

    Attributes:
        verdict: What is wrong.
        mistakes: Those that people often make and that fail in just this way, each as a sentence.
    """

    verdict: Verdict
    mistakes: tuple[str, ...] = ()


def judged(exercise: Exercise, file: Path, seconds: float = SECONDS) -> Judged:
    """Judge the answer in a file.

    Args:
        exercise: The exercise.
        file: The learner's file.
        seconds: How long it may take.
    """
    try:
        code = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return Judged(Verdict(f"{file} can't be read: {error}"))
    # forked, it has the plugins at once; elsewhere than on Linux forking is not safe
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_judge, args=(theirs, exercise, code, str(file)), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            return Judged(Verdict(f"it did not end within {seconds:g} s: is there a loop that never ends?"))
        found: Judged = ours.recv()
        return found
    except EOFError:
        process.join()
        return Judged(Verdict(f"it ended the process that it ran in, with the exit code {process.exitcode}"))
    finally:
        process.kill()
        process.join()
        ours.close()


def _judge(pipe: Connection, exercise: Exercise, code: str, filename: str) -> None:
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # an answer that asks for input would wait for ever
    verdict = judge(exercise, code, filename)
    pipe.send(Judged(verdict, mistakes_in(exercise, verdict)))

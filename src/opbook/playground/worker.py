"""`python -m opbook.playground.worker`: answers messages, a line of JSON each, until its input ends."""

import contextlib
import json
import os
import queue
import threading
from typing import Any

from opbook.notation.guard import limited_memory
from opbook.playground.answers import answer
from opbook.playground.confinement import confine
from opbook.playground.messages import READY
from opbook.plugins.catalogue import catalogue

MEMORY = 2**30
"""Bytes that programs may take, beside what the process has when it is ready."""

# accelerators import what they need with their first call and gradient, which costs more than a program may take
WARM = {
    "do": "run",
    "id": "warm",
    "language": "qu",
    "code": "f(x) = x @ softmax(x)\ngrad(f)([1, 2; 3, 4] @ [1, 2])",
}


def main() -> None:
    """Load the catalogue, run a first program so that the next is quick, and answer."""
    messages = _messages(os.dup(0))
    answers = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what plugins print is no answer
    loaded = catalogue()
    answer(WARM, loaded)
    _limit_what_is_written()
    confine()
    with limited_memory(MEMORY):
        _say(answers, READY)
        while line := messages.get():
            _say(answers, json.dumps(answer(json.loads(line), loaded)).encode() + b"\n" + READY)


def _messages(source: int) -> "queue.SimpleQueue[bytes]":
    """Read lines in a thread. Where they end nobody waits any more, and whatever runs in this process ends as well."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        with os.fdopen(source, "rb") as stream:
            for line in stream:
                lines.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _say(answers: Any, line: bytes) -> None:
    answers.write(line)
    answers.flush()


def _limit_what_is_written() -> None:
    """No file may grow, and a crash leaves no image of the memory behind."""
    with contextlib.suppress(ImportError):  # Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main()

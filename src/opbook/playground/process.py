"""A worker process that is kept ready: whoever waits for its answer waits for a bounded time."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from opbook.playground.messages import CHARACTERS, PICTURES, READY, Answer, empty, failure

SECONDS = 15.0
"""After so many seconds a worker is ended that does not answer; a program's own clock rings before."""

LONGEST = 12 * (CHARACTERS + PICTURES)
"""How many bytes an answer may have, in JSON, where a character may take that many."""


class Worker:
    """Answers messages, one at a time, in a process of its own. A process that ends is followed by a new one.

    Attributes:
        seconds: How long an answer may take.

    Args:
        folder: The working directory, whose settings hold.
        plugins: One-file plugins to load.
        seconds: How long an answer may take.
    """

    def __init__(self, folder: Path, plugins: Iterable[str] = (), seconds: float = SECONDS) -> None:
        self._folder = folder
        self.seconds = seconds
        named = [part for part in (os.environ.get("OPBOOK_PLUGINS", ""), *plugins) if part]
        self._environment = os.environ | {"OPBOOK_PLUGINS": os.pathsep.join(named), "PYTHONDONTWRITEBYTECODE": "1"}
        self._one_at_a_time = threading.Lock()
        self._running: Any = None  # the id of the message that is being answered
        self._ended_because = ""
        self._is_closed = False
        self._process = self._start()

    def ask(self, message: dict[str, Any]) -> Answer:
        """Have a message answered.

        Returns:
            The answer. Where the process took too long, said too much or ended, that is the error in it.
        """
        with self._one_at_a_time:
            self._running, self._ended_because = message.get("id"), ""
            try:
                return self._answer(message)
            finally:
                self._running = None

    def stop(self, number: Any) -> None:
        """End what is being done for a message, if that is still so."""
        if number is not None and number == self._running:
            self._end("the program was stopped")

    def restart(self) -> None:
        """Begin anew, as when the source of a plugin has changed."""
        with self._one_at_a_time:
            self._end("")
            self._follow()

    def close(self) -> None:
        """End the process for good."""
        self._is_closed = True
        self._end("the server is shutting down")
        with self._one_at_a_time:
            self._follow()

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "opbook.playground.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._folder,
            env=self._environment,
        )

    def _answer(self, message: dict[str, Any]) -> Answer:
        if self._process.poll() is not None:  # it was ended when it had just answered
            self._follow()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        if process.stdout.readline() != READY:
            return self._lost("the process that runs programs did not start; what it wrote stands in the terminal")
        clock = threading.Timer(self.seconds, self._end, [f"the program was ended after {self.seconds:g} seconds"])
        clock.daemon = True
        clock.start()
        try:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline(LONGEST)
        except OSError:  # it has ended
            line = b""
        finally:
            clock.cancel()
        if line.endswith(b"\n"):
            answer: Answer = json.loads(line)
            return answer
        if line:
            self._end("the answer is too long")
        return self._lost("the process that ran the program ended: it may have needed more memory than there is")

    def _lost(self, usual: str) -> Answer:
        """Follow a process that has ended by a new one, and say why it has."""
        reason = self._ended_because or usual
        self._end(reason)
        self._follow()
        return empty() | failure(reason)

    def _follow(self) -> None:
        """Let go of a process that has ended, and start the next one."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):  # what it was not told any more
                pipe.close()
        if not self._is_closed:
            self._process = self._start()

    def _end(self, reason: str) -> None:
        self._ended_because = reason
        self._process.kill()
        self._process.wait()

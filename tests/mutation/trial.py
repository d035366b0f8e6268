"""Tries mutants: each in a fork of this process, which has imported opbook but no plugin."""

import importlib.metadata
import importlib.util
import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

from mutations import Mutant, mutants

from opbook.checks import CHECKS
from opbook.checks.inputs import samples_of
from opbook.checks.subject import Subject, value_and_gradients
from opbook.checks.verification import check_builtin, examples_by_builtin
from opbook.plugins.catalogue import Catalogue, catalogue
from opbook.plugins.distributions import GROUP

FORK = get_context("fork")
CPU_SECONDS = 60
WALL_SECONDS = 240
MEMORY = 4 << 30
FIRST = ("known answers", "rule value", "rule gradient", "definition", "errors", "differences")
"""Checks that find most faults, in little time."""
LAST = ("gradient dtypes", "notation", "warnings", "taylor", "layouts", "threads", "memory", "second order")
"""Checks that take longest."""


@dataclass(frozen=True)
class Plugin:
    """A plugin's name and its modules."""

    name: str
    modules: dict[str, Path]

    def mutants(self) -> list[Mutant]:
        """All wrong versions of it."""
        return [mutant for module, path in self.modules.items() for mutant in mutants(module, path)]


@dataclass(frozen=True)
class Survey:
    """What the plugins do as they are.

    Attributes:
        failures: What the checks refute already, without any mutation.
        seconds: How long the checks of each builtin take.
        reached: The functions of the plugins that each builtin runs, by file and first line.
        size: How many functions each builtin runs, wherever they are.
        own: The builtins of each module's plugin.
    """

    failures: list[str]
    seconds: dict[str, float]
    reached: dict[str, set[tuple[str, int]]]
    size: dict[str, int]
    own: dict[str, list[str]]

    def concerned(self, mutant: Mutant) -> list[str]:
        """The builtins that a mutant may change: its own plugin's, and the one built most directly on it."""
        first, last = mutant.span
        found = [
            op
            for op, lines in self.reached.items()
            if any(path == str(mutant.path) and first <= line <= last for path, line in lines)
        ]
        own = self.own[mutant.module]
        mine, others = ([op for op in found or own if (op in own) is is_own] for is_own in (True, False))
        mine.sort(key=lambda op: self.seconds[op])
        others.sort(key=lambda op: self.size[op])
        return mine + others[:1]


def find_plugins(names: Iterable[str]) -> list[Plugin]:
    """Find installed plugins by the names of their entry points or modules, and files by their path.

    Args:
        names: The names; all that are installed unless given.

    Returns:
        The plugins, not yet imported.

    Raises:
        LookupError: There is no such plugin.
    """
    wanted, found = list(names), {}
    for point in importlib.metadata.entry_points(group=GROUP):
        if not wanted or {point.name, point.value} & set(wanted):
            spec = importlib.util.find_spec(point.value)
            if spec is None or spec.origin is None:
                raise LookupError(f"there is no module {point.value}")
            files = sorted(p for p in Path(spec.origin).parent.glob("*.py") if p.name != "samples.py")
            names_of = {p: point.value if p.stem == "__init__" else f"{point.value}.{p.stem}" for p in files}
            found[point.name] = Plugin(point.name, {name: path for path, name in names_of.items()})
    for name in wanted:
        if name.endswith(".py"):
            found[name] = Plugin(Path(name).stem, {Path(name).stem: Path(name).resolve()})
        elif not any(name in (plugin.name, *plugin.modules) for plugin in found.values()):
            raise LookupError(f"there is no plugin {name}")
    return [found[name] for name in sorted(found)]


def survey(plugins: list[Plugin]) -> Survey:
    """Run the checks on the plugins as they are, in a fork, and see which functions their builtins reach."""
    (result,) = in_forks([partial(_survey, plugins)], jobs=1)
    if isinstance(result, str):
        raise RuntimeError(f"the plugins can't be checked as they are: {result}")
    found: Survey = result
    return found


def _survey(plugins: list[Plugin]) -> Survey:
    ops = catalogue()
    ops.load_samples()
    files = {str(path): module for plugin in plugins for module, path in plugin.modules.items()}
    own: dict[str, list[str]] = {module: [] for module in files.values()}
    for name in ops:
        path = Path(ops.plugin_of(name).path)
        for file, module in files.items():
            if Path(file) == path or (path.name == "__init__.py" and Path(file).parent == path.parent):
                own[module].append(name)
    failures, seconds, reached, size = [], {}, {}, {}
    for name in ops:
        functions = _reached(ops, name)
        size[name] = len(functions)
        reached[name] = {(path, line) for path, line in functions if path in files}
        if not reached[name] and not any(name in names for names in own.values()):
            continue
        start = time.process_time()
        failures += [str(failure) for failure in _failures(ops, [name])]
        seconds[name] = time.process_time() - start
    return Survey(failures, seconds, reached, size, own)


def _reached(ops: Catalogue, name: str) -> set[tuple[str, int]]:
    found = set()

    def note(frame: Any, event: str, arg: Any) -> None:
        found.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    subject = Subject(ops[name], samples_of(ops[name]))
    sys.setprofile(note)
    try:
        for sample, call in subject.calls():
            call.define()
            value_and_gradients(subject, sample)
    finally:
        sys.setprofile(None)
    return found


def _failures(ops: Catalogue, names: list[str]) -> Iterator[tuple[str, str, str]]:
    """The checks that fail, one after the other, each with the builtin and the message."""
    between = [c.name for c in CHECKS.values() if c.name not in (*FIRST, *LAST) and not c.needs_examples]
    for some in (FIRST, between, LAST):
        for name in names:
            for outcome in check_builtin(ops[name], [CHECKS[check] for check in some], ops, None):
                if outcome.status == "failed":
                    yield outcome.check, name, outcome.message
    for name, results in examples_by_builtin(ops, set(names)).items():
        for result in results:
            if result.status == "failed":
                yield "examples", name, result.message


def verdict(mutant: Mutant, concerned: list[str]) -> str:
    """Run the checks on a mutant, until one fails.

    Args:
        mutant: The mutant.
        concerned: The builtins to check.

    Returns:
        The name of the check that caught it, "loading" if there was nothing left to check, or "" if it survived.
    """
    try:
        code = mutant.code()
    except (SyntaxError, ValueError):
        return "loading"
    plain = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        return code if loader.path == str(mutant.path) else plain(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    ops = catalogue()
    ops.load_samples()
    if not all(name in ops for name in concerned):
        return "loading"
    return next((check for check, _, _ in _failures(ops, concerned)), "")


def try_all(mutants: list[Mutant], found: Survey, jobs: int, progress: Callable[[int], None]) -> list[str]:
    """Try every mutant.

    Args:
        mutants: The mutants.
        found: What the plugins do as they are.
        jobs: How many to try at once.
        progress: Is told how many are done.

    Returns:
        A verdict for each; "timeout" and "crash" count as caught.
    """
    tasks = [partial(verdict, mutant, found.concerned(mutant)) for mutant in mutants]
    return list(map(str, in_forks(tasks, jobs, progress)))


def in_forks(
    tasks: Sequence[Callable[[], Any]], jobs: int, progress: Callable[[int], None] = lambda done: None
) -> list[Any]:
    """Run each task in a fork of its own, within bounds of time and memory.

    Returns:
        What each returned; "timeout" or "crash" if it did not.
    """
    results: list[Any] = ["crash"] * len(tasks)
    running: dict[connection.Connection, tuple[int, Any, float]] = {}
    waiting = list(enumerate(tasks))[::-1]
    while waiting or running:
        while waiting and len(running) < jobs:
            index, task = waiting.pop()
            mine, theirs = FORK.Pipe(duplex=False)
            process = FORK.Process(target=_work, args=(task, theirs), daemon=True)
            process.start()
            theirs.close()
            running[mine] = (index, process, time.monotonic() + WALL_SECONDS)
        ready = connection.wait(list(running), timeout=1)
        for pipe, (index, process, deadline) in list(running.items()):
            if pipe in ready:
                try:
                    results[index] = pipe.recv()
                except EOFError:
                    process.join()
                    results[index] = "timeout" if process.exitcode == -24 else "crash"
            elif time.monotonic() > deadline:
                results[index] = "timeout"
                process.kill()
            else:
                continue
            process.join()
            pipe.close()
            del running[pipe]
            progress(len(tasks) - len(waiting) - len(running))
    return results


def _work(task: Callable[[], Any], pipe: connection.Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    threading.excepthook = lambda args: None
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        pipe.send(task())
        pipe.close()

"""Plugins: how they are found, imported, and asked what they add."""

import importlib
import importlib.metadata
import importlib.util
import inspect
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pluggy

from opbook import hookspecs
from opbook.builtin import Builtin
from opbook.errors import nearest
from opbook.rules import OWN, Rule

ENTRY_POINT_GROUP = "opbook"

T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """Where a plugin can be found, before it is loaded.

    Attributes:
        name: The entry point's name, or the file's without its ending.
        distribution: The distribution's name, or "" for a file.
        version: The distribution's version, or "".
        module: The module that the entry point names, or the file's path.
        licence: The distribution's licence, or "".
    """

    name: str
    distribution: str
    version: str
    module: str
    licence: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a single file rather than a distribution."""
        return not self.distribution

    @property
    def names(self) -> tuple[str, ...]:
        """What settings may call it: its name, its distribution, its module or file."""
        return tuple(name for name in (self.name, self.distribution, self.module) if name)

    def __str__(self) -> str:
        if self.is_file:
            return self.module
        return f"{self.distribution} {self.version} (entry point {self.name} = {self.module})"

    def load(self) -> ModuleType:
        """Import the plugin's module."""
        if self.is_file:
            return import_file(Path(self.module))
        if ":" in self.module:
            module = self.module.partition(":")[0]
            raise TypeError(f"an entry point must name a module, such as {module}, but this one names {self.module}")
        return importlib.import_module(self.module)


@dataclass
class PluginInfo:
    """A plugin as it was found and what became of it.

    Attributes:
        source: Where it was found.
        handle: The shortest of its names that no other plugin has: how settings and messages call it.
        state: `"loaded"`, `"disabled"` or `"failed"`.
        error: Why it failed, in one line with what to do.
        path: The module's file, once it is loaded.
        builtins: The names of the builtins that it adds.
        rules: The rules that it adds to other plugins' builtins, such as `layer_norm [numba]`.
        seconds: How long importing it took.
    """

    source: Source
    handle: str = ""
    state: str = "loaded"
    error: str = ""
    path: str = ""
    builtins: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Added:
    """What a plugin adds.

    Attributes:
        builtins: Its builtins.
        rules: Its rules for other plugins' builtins.
    """

    builtins: list[Builtin]
    rules: list[Rule]


def find_plugins(files: Iterable[Path]) -> list[PluginInfo]:
    """Find plugins, each once, in an order that does not depend on that of discovery.

    Args:
        files: One-file plugins to add to what is installed.

    Returns:
        The plugins, none of which is loaded yet.
    """
    found = set()
    for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        if point.dist is not None:
            meta = point.dist.metadata
            licence = next((meta[key] for key in ("License-Expression", "License") if key in meta), "")
            found.add(Source(point.name, point.dist.name, point.dist.version, point.value, licence))
    for file in files:
        path = Path(file).resolve()
        found.add(Source(path.stem, "", "", str(path)))
    sources = sorted(found, key=lambda s: (s.distribution, s.name, s.module))
    names = [name for source in sources for name in set(source.names)]
    return [
        PluginInfo(source, next((name for name in source.names if names.count(name) == 1), source.name))
        for source in sources
    ]


def import_file(path: Path) -> ModuleType:
    """Import a Python file that is on no path.

    Args:
        path: The file.

    Returns:
        Its module, under a name that no other module has.

    Raises:
        FileNotFoundError: There is no such file.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no such file: {path}")
    # a name of its own: a file called math.py must not take the place of that module
    name = f"opbook_file_{path.stem}"
    while getattr(sys.modules.get(name), "__file__", str(path)) != str(path):
        name += "_"  # two files of one name
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # dataclasses, pickle and inspect look a function's module up by its name
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def message_of(error: BaseException) -> str:
    """Say what an error of somebody else's says.

    Args:
        error: The error.

    Returns:
        Its message; a syntax error's with its file, which may be another plugin's that this one imports.
    """
    try:
        message = str(error)
    except Exception:  # somebody else's class
        return "(no message)"
    return (
        f"{error.filename}:{error.lineno}: {message}" if isinstance(error, SyntaxError) and error.filename else message
    )


def load_plugin(manager: pluggy.PluginManager, info: PluginInfo) -> Added:
    """Import, register and ask one plugin; if anything fails, nothing of it stays registered.

    Args:
        manager: Where its hooks are registered.
        info: The plugin; its path and seconds are filled in.

    Returns:
        What it adds.

    Raises:
        BaseException: Whatever it raises, or an error about what it returns.
    """
    start = time.perf_counter()
    try:
        module = info.source.load()
    finally:
        info.seconds = time.perf_counter() - start
    if not inspect.ismodule(module):
        raise TypeError(f"an entry point must name a module, but {info.source.module} is a {type(module).__name__}")
    info.path = module.__file__ or ""
    name = f"{info.source.distribution}:{info.source.name}:{info.source.module}"
    manager.register(module, name)
    try:
        _refuse_misspelt(manager, module)
        return Added(
            _unique(_ask(manager, name, "opbook_builtins", Builtin, "decorate it with @builtin(category=...)")),
            _distinct(_ask(manager, name, "opbook_rules", Rule, "write Rule(builtin=..., name=..., function=...)")),
        )
    except BaseException:
        manager.unregister(name=name)
        raise


def _refuse_misspelt(manager: pluggy.PluginManager, module: ModuleType) -> None:
    known = [name for name in vars(hookspecs) if name.startswith("opbook_")]
    callers = manager.get_hookcallers(module) or []
    for caller in callers:
        if not caller.has_spec():
            raise ValueError(
                f"there is no hook {caller.name}.{nearest(caller.name, known)} The hooks are {', '.join(known)}"
            )
    if not callers:
        raise ValueError(f"it implements no hook: mark a function with @hookimpl and name it {' or '.join(known)}")


def _ask(manager: pluggy.PluginManager, plugin: str, hook: str, kind: type[T], hint: str) -> list[T]:
    """What one plugin's implementation of a hook returns: a list of instances of a class."""
    found: list[T] = []
    for implementation in getattr(manager.hook, hook).get_hookimpls():
        if implementation.plugin_name == plugin:
            found += _instances(f"{hook}()", implementation.function(), kind, hint)
    return found


def _instances(what: str, result: Any, kind: type[T], hint: str) -> list[T]:
    noun = kind.__name__.lower()
    if not isinstance(result, Iterable) or isinstance(result, str):
        raise TypeError(f"{what} must return a list of {noun}s, but returned {type(result).__name__}")
    things = list(result)
    for thing in things:
        if isinstance(thing, kind):
            continue
        advice = f"; {hint}" if callable(thing) else ""
        is_class = "a class, where an instance is due" if isinstance(thing, type) else f"no {noun}"
        raise TypeError(f"{what} returned {thing!r}, which is {is_class}{advice}")
    return things


def _unique(ops: list[Builtin]) -> list[Builtin]:
    _refuse_repeated("opbook_builtins() returned {} builtins named {}", [op.name for op in ops])
    return ops


def _distinct(rules: list[Rule]) -> list[Rule]:
    for rule in rules:
        if not (isinstance(rule.builtin, str) and isinstance(rule.name, str) and rule.name.isidentifier()):
            raise TypeError(f"{rule.builtin} [{rule.name}]: the names of a builtin and of a rule must be words")
        if rule.name == OWN:
            raise ValueError(f"{rule}: {OWN} is what a builtin's own rule is called; give this one another name")
        if not callable(rule.function):
            raise TypeError(f"{rule}: function must be a function, but is {rule.function!r}")
        if not isinstance(rule.priority, int | float):
            raise TypeError(f"{rule}: priority must be a number, but is {rule.priority!r}")
    return rules


def _refuse_repeated(message: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(message.format(names.count(name), name))

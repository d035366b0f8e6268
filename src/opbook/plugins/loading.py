"""Imports plugins and asks them what they add; what is wrong with one is said in one message."""

import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pluggy

from opbook.builtins.builtin import Builtin
from opbook.builtins.property import Property
from opbook.builtins.rule import OWN, Rule
from opbook.errors import PluginError, nearest
from opbook.plugins import hookspecs
from opbook.plugins.discovery import PluginInfo, Source
from opbook.plugins.section import Section

CommandHook = Callable[[], Any]
"""A plugin's implementation of `opbook_commands`."""

_PROPERTY = "write Property(builtin=..., name=..., ...)"

T = TypeVar("T")


@dataclass(frozen=True)
class Added:
    """What a plugin adds.

    Attributes:
        builtins: Its builtins.
        rules: Its rules for other plugins' builtins.
        properties: What it states of builtins.
        guides: The files of the guides that it brings along.
        sections: Its sections for the pages of builtins.
        commands: Its hook that makes commands, which only the command line calls; None if it has none.
    """

    builtins: list[Builtin]
    rules: list[Rule]
    properties: list[Property]
    guides: list[Path]
    sections: list[Section]
    commands: CommandHook | None = None


def message_of(error: BaseException) -> str:
    """Say what an error of somebody else's says.

    Args:
        error: The error.

    Returns:
        Its message; a syntax error's with its file, which may be another plugin's that this one imports; with the hook
        that it was raised in.
    """
    try:
        message = str(error)
    except Exception:  # somebody else's class
        message = "(no message)"
    if isinstance(error, SyntaxError) and error.filename:
        message = f"{error.filename}:{error.lineno}: {message}"
    return ", ".join([message, *(note for note in getattr(error, "__notes__", ()) if note.startswith("raised in "))])


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
    _refuse_other_version(info.source)
    start = time.perf_counter()
    try:
        module = info.source.load()
    finally:
        info.seconds = time.perf_counter() - start
    if not inspect.ismodule(module):
        raise TypeError(f"an entry point must name a module, but {info.source.module} is a {type(module).__name__}")
    info.path = module.__file__ or ""
    name = str(info.source)
    if (other := manager.get_name(module)) is not None:
        raise ValueError(f"its module is the one of {other} as well; uninstall one of the two distributions")
    _refuse_without_hooks(manager, module)
    manager.register(module, name)
    try:
        return Added(
            _unique(_ask(manager, name, "opbook_builtins", Builtin, "decorate it with @builtin(category=...)")),
            _distinct(_ask(manager, name, "opbook_rules", Rule, "write Rule(builtin=..., name=..., function=...)")),
            _stated(_ask(manager, name, "opbook_properties", Property, _PROPERTY)),
            _guides(_ask(manager, name, "opbook_guides", object, "", noun="path"), Path(info.path).parent),
            _titled(_ask(manager, name, "opbook_sections", Section, "write Section(builtin=..., title=..., text=...)")),
            next((impl.function for impl in _implementations(manager, name, "opbook_commands")), None),
        )
    except BaseException:
        manager.unregister(name=name)
        raise


def load_samples(info: PluginInfo) -> list[Property]:
    """Import the module `samples` of a plugin that is a package, if it has one: it gives its builtins samples.

    Args:
        info: The plugin, which is loaded.

    Returns:
        The properties that the module's `opbook_properties` returns.

    Raises:
        BaseException: Whatever it raises, or an error about what it returns.
    """
    name = samples_module(info.source)
    if not name:
        return []
    module = importlib.import_module(name)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    found = _hooks_of(manager, module)
    for hook in found:
        if hook != "opbook_properties":
            raise ValueError(f"{hook} does not belong here: of the hooks, samples.py may have opbook_properties only")
    manager.register(module, name)
    return _stated(_ask(manager, name, "opbook_properties", Property, _PROPERTY))


def samples_module(source: Source) -> str:
    """Find the module of a plugin that gives samples.

    Args:
        source: The plugin, which is loaded.

    Returns:
        Its name, or "" if there is none: in a package it is called `samples`; a single file has its samples in itself.
    """
    name = f"{source.module}.samples"
    if source.is_file or not hasattr(sys.modules.get(source.module), "__path__"):
        return ""
    return name if importlib.util.find_spec(name) else ""


def _refuse_other_version(source: Source) -> None:
    if not source.requires:
        return
    from packaging.specifiers import SpecifierSet

    here = importlib.metadata.version("opbook")
    if not SpecifierSet(source.requires).contains(here, prereleases=True):
        raise PluginError(
            f"it was made for opbook {source.requires}, and this is opbook {here}; take versions that go "
            f"together with: pip install --upgrade opbook {source.distribution}"
        )


def _refuse_without_hooks(manager: pluggy.PluginManager, module: ModuleType) -> None:
    if not _hooks_of(manager, module):
        known = " or ".join(_known_hooks())
        raise ValueError(f"it implements no hook: mark a function with @hookimpl and name it {known}")


def _known_hooks() -> list[str]:
    return [name for name in vars(hookspecs) if name.startswith("opbook_")]


def _hooks_of(manager: pluggy.PluginManager, module: ModuleType) -> list[str]:
    """The hooks that a module implements; a misspelt one is refused."""
    known = _known_hooks()
    found = [name for name in dir(module) if manager.parse_hookimpl_opts(module, name) is not None]
    for name in found:
        if name not in known:
            raise ValueError(f"there is no hook {name}.{nearest(name, known)} The hooks are {', '.join(known)}")
        takes = list(inspect.signature(getattr(hookspecs, name)).parameters)
        for argument in inspect.signature(getattr(module, name)).parameters:
            if argument not in takes:
                raise TypeError(
                    f"{name} has an argument {argument}, which the hook does not have.{nearest(argument, takes)} "
                    f"Write def {name}({', '.join(takes)})"
                )
    return found


def _ask(manager: pluggy.PluginManager, plugin: str, hook: str, kind: type[T], hint: str, noun: str = "") -> list[T]:
    """What one plugin's implementation of a hook returns: a list of instances of a class."""
    found: list[T] = []
    for implementation in _implementations(manager, plugin, hook):
        result = _called(hook, implementation.function)
        found += _instances(f"{hook}()", result, kind, hint, noun or kind.__name__.lower())
    return found


def _called(hook: str, function: Callable[[], Any]) -> Any:
    """What a hook returns, at once if it is a generator; an error says which hook it comes from."""
    try:
        result = function()
        return result if isinstance(result, str) or not isinstance(result, Iterable) else list(result)
    except BaseException as error:
        error.add_note(f"raised in {hook}()")
        raise


def _implementations(manager: pluggy.PluginManager, plugin: str, hook: str) -> list[pluggy.HookImpl]:
    return [impl for impl in getattr(manager.hook, hook).get_hookimpls() if impl.plugin_name == plugin]


def _instances(what: str, result: Any, kind: type[T], hint: str, noun: str) -> list[T]:
    if not isinstance(result, Iterable) or isinstance(result, str):
        several = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
        raise TypeError(f"{what} must return a list of {several}, but returned {type(result).__name__}")
    things = list(result)
    for thing in things:
        if isinstance(thing, kind):
            continue
        if isinstance(thing, type):
            raise TypeError(f"{what} returned {thing!r}, which is a class, where an instance is due")
        advice = f"; {hint}" if callable(thing) else ""
        raise TypeError(f"{what} returned {thing!r}, which is no {noun}{advice}")
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


def _stated(properties: list[Property]) -> list[Property]:
    for one in properties:
        if not all(isinstance(text, str) and text for text in (one.builtin, one.name, one.sentence)):
            raise TypeError(f"{one}: builtin, name and sentence of a property must be texts")
        if not callable(one.sides):
            raise TypeError(f"{one}: sides must be a function, but is {one.sides!r}")
    return properties


def _guides(paths: list[Any], folder: Path) -> list[Path]:
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise TypeError(
                f'opbook_guides() returned {path!r}, which is no path; write "heads.md", as seen from {folder}'
            )
    return [Path(os.path.abspath(folder / path)) for path in paths]


def _titled(sections: list[Section]) -> list[Section]:
    for section in sections:
        if not all(isinstance(text, str) and text.strip() for text in (section.builtin, section.title, section.text)):
            raise TypeError(f"{section}: builtin, title and text of a section must be texts, and not empty")
        if len(section.title.splitlines()) > 1:
            raise ValueError(f"{section.builtin}: {section.title!r} is no title: it must be a single line")
    return sections


def _refuse_repeated(message: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(message.format(names.count(name), name))

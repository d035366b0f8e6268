"""Imports plugins and asks them what they contribute; what is wrong with one is said in one message."""

import importlib
import importlib.util
import inspect
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from opbook.builtins.builtin import Builtin
from opbook.errors import PluginError, nearest
from opbook.plugins import hookspecs
from opbook.plugins.contributions import KINDS, Contribution, things
from opbook.plugins.discovery import PluginInfo, PluginSource
from opbook.plugins.distributions import metadata_called

_parser = pluggy.PluginManager(hookspecs.PROJECT)


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


def load_plugin(info: PluginInfo, loaded: dict[ModuleType, PluginSource]) -> list[Contribution[Any]]:
    """Import one plugin, and ask its hooks what it contributes.

    Args:
        info: The plugin; its path and seconds are filled in.
        loaded: The plugins so far by their modules; this one is added.

    Returns:
        What it contributes.

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
    if module in loaded:
        raise ValueError(f"its module is the one of {loaded[module]} as well; uninstall one of the two distributions")
    hooks = _hooks_of(module)
    if not hooks:
        raise ValueError(f"it implements no hook: mark a function with @hookimpl and name it {' or '.join(KINDS)}")
    found = _contributions(info, hooks)
    loaded[module] = info.source
    return found


def load_samples(info: PluginInfo) -> list[Contribution[Any]]:
    """Import the module `samples` of a plugin that is a package, if it has one: it gives its builtins samples.

    Args:
        info: The plugin, which is loaded.

    Returns:
        What the module contributes: properties.

    Raises:
        BaseException: Whatever it raises, or an error about what it returns.
    """
    name = samples_module(info.source)
    hooks = _hooks_of(importlib.import_module(name)) if name else {}
    for hook in hooks:
        if hook != "opbook_properties":
            raise ValueError(f"{hook} does not belong here: of the hooks, samples.py may have opbook_properties only")
    return _contributions(info, hooks)


def samples_module(source: PluginSource) -> str:
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


def _refuse_other_version(source: PluginSource) -> None:
    if not source.requires:
        return
    from packaging.specifiers import SpecifierSet

    metadata = metadata_called("opbook")
    here = str(metadata["Version"]) if metadata else ""
    if not SpecifierSet(source.requires).contains(here, prereleases=True):
        raise PluginError(
            f"it was made for opbook {source.requires}, and this is opbook {here}; take versions that go "
            f"together with: pip install --upgrade opbook {source.distribution}"
        )


def _hooks_of(module: ModuleType) -> dict[str, Callable[[], Any]]:
    """The hooks that a module implements, in the order of the table; a misspelt one is refused."""
    found = [name for name in dir(module) if _parser.parse_hookimpl_opts(module, name) is not None]
    for name in found:
        if name not in KINDS:
            raise ValueError(f"there is no hook {name}.{nearest(name, KINDS)} The hooks are {', '.join(KINDS)}")
        takes = list(inspect.signature(getattr(hookspecs, name)).parameters)
        for argument in inspect.signature(getattr(module, name)).parameters:
            if argument not in takes:
                raise TypeError(
                    f"{name} has an argument {argument}, which the hook does not have.{nearest(argument, takes)} "
                    f"Write def {name}({', '.join(takes)})"
                )
    return {name: getattr(module, name) for name in KINDS if name in found}


def _contributions(info: PluginInfo, hooks: Mapping[str, Callable[[], Any]]) -> list[Contribution[Any]]:
    folder = Path(info.path).parent
    found = [Contribution(info, thing) for name, hook in hooks.items() for thing in things(name, hook, folder)]
    names = [one.thing.name for one in found if isinstance(one.thing, Builtin)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"opbook_builtins() returned {names.count(name)} builtins named {name}")
    return found

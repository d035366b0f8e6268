"""Imports plugins and asks them what they contribute; what is wrong with one is said in one message."""

import importlib
import importlib.util
import inspect
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from opbook.builtins.builtin import Builtin
from opbook.errors import PluginError, nearest
from opbook.plugins import hookspecs
from opbook.plugins.contributions import KINDS, Contribution, contributed
from opbook.plugins.discovery import PluginInfo, PluginSource, find_plugins, is_seen
from opbook.plugins.distributions import metadata_called
from opbook.plugins.guard import guarded
from opbook.plugins.settings import Settings

_parser = pluggy.PluginManager(hookspecs.PROJECT)


def message_of(error: BaseException) -> str:
    """Say what an error of somebody else's says.

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


def load_plugins(settings: Settings) -> tuple[list[PluginInfo], list[Contribution[Any]]]:
    """Load every plugin that is installed, and the files of the settings.

    Raises:
        PluginError: With `OPBOOK_STRICT=1`, the first that fails.
    """
    plugins = find_plugins(settings.plugins)
    found: list[Contribution[Any]] = []
    modules: dict[ModuleType, PluginSource] = {}
    # files last: one that is an installed plugin's own module is that plugin, seen twice
    for info in sorted(plugins, key=lambda info: info.source.is_file):
        if is_seen(info, plugins):
            plugins.remove(info)
            continue
        if settings.disables(info.source.is_called):
            info.state = "disabled"
            continue
        try:
            with guarded(str(info.source), info.handle):
                found += _load_plugin(info, modules)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything, SystemExit included
            info.state = "failed"
            info.error = (
                f"{info.source}: {type(error).__name__}: {message_of(error)}. Mend it, or leave it out with "
                f"OPBOOK_DISABLE={info.handle}, for good with: opbook plugins disable {info.handle}"
            )
            if settings.strict:
                raise PluginError(info.error) from error
    return plugins, found


def _load_plugin(info: PluginInfo, loaded: dict[ModuleType, PluginSource]) -> list[Contribution[Any]]:
    """Import one plugin, and ask its hooks what it contributes; it is added to those that are loaded, by its module."""
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


def load_samples(info: PluginInfo, contributed: Iterable[Any]) -> list[Contribution[Any]]:
    """Import the module `samples` of a plugin that is a package, if it has one: it gives its builtins samples.

    If it fails, the error of the plugin says why, and whoever asks its builtins for samples gets that error.
    """
    name = _samples_module(info.source)
    if not name:
        return []
    try:
        with guarded(name, info.handle):
            hooks = _hooks_of(importlib.import_module(name))
            for hook in hooks:
                if hook != "opbook_properties":
                    raise ValueError(f"{hook} does not belong here: samples.py may have opbook_properties only")
            return _contributions(info, hooks)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # it may raise anything, SystemExit included
        info.error = (
            f"{info.source}: its samples can't be loaded, so its builtins can't be verified: {name}: "
            f"{type(error).__name__}: {message_of(error)}. Mend it, or leave the plugin out with "
            f"OPBOOK_DISABLE={info.handle}"
        )

    def without(draw: Any) -> Iterator[Any]:
        raise PluginError(info.error)

    for thing in contributed:
        if isinstance(thing, Builtin):
            thing.samplers[name] = without
    return []


def _samples_module(source: PluginSource) -> str:
    """The name of the module `samples` of a package, or "" if there is none; a single file holds its samples itself."""
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
    found = [Contribution(info, thing) for name, hook in hooks.items() for thing in contributed(name, hook, folder)]
    names = [one.thing.name for one in found if isinstance(one.thing, Builtin)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"opbook_builtins() returned {names.count(name)} builtins named {name}")
    return found

"""Plugins: how they are found, imported, and asked what they add."""

import importlib
import importlib.metadata
import importlib.util
import re
import sys
import traceback
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

ENTRY_POINT_GROUP = "opbook"


@dataclass(frozen=True)
class PluginSource:
    """Where a plugin can be found, before it is loaded.

    Attributes:
        name: The entry point's name, or the file's without its ending.
        distribution: The distribution's name, or "" for a file.
        version: The distribution's version, or "".
        module: The module that the entry point names, or the file's path.
        licence: The distribution's licence, or "".
        requires: The versions of opbook that the distribution works with, such as `>=0.1,<0.2`, or "".
    """

    name: str
    distribution: str
    version: str
    module: str
    licence: str = ""
    requires: str = ""

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


SESSION = PluginSource("session", "", "", "this session")
"""What stands for a plugin where a builtin was registered with [`register`][opbook.plugins.catalogue.register]."""


@dataclass
class PluginInfo:
    """A plugin as it was found and what became of it.

    Attributes:
        source: Where it was found.
        handle: The shortest of its names that no other plugin has: how settings and messages call it.
        state: `"loaded"`, `"disabled"` or `"failed"`.
        error: Why it failed, or why its samples did, in one line with what to do.
        path: The module's file, once it is loaded.
        contributes: What was taken of it, by the noun of its kind, such as `layer_norm [numba]` under `rules`; its
            builtins even where another plugin's of that name is meant.
        unused: What it adds that fits nothing: a message for each.
        seconds: How long importing it took.
    """

    source: PluginSource
    handle: str = ""
    state: str = "loaded"
    error: str = ""
    path: str = ""
    contributes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    unused: list[str] = field(default_factory=list)
    seconds: float = 0.0


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
            requires = _versions_of_opbook(point.dist.requires or ())
            found.add(PluginSource(point.name, point.dist.name, point.dist.version, point.value, licence, requires))
    for file in files:
        path = Path(file).resolve()
        found.add(PluginSource(path.stem, "", "", str(path)))
    sources = sorted(found, key=lambda s: (s.distribution, s.name, s.module))
    names = [name for source in sources for name in set(source.names)]
    return [
        PluginInfo(source, next((name for name in source.names if names.count(name) == 1), source.name))
        for source in sources
    ]


def imports_plugin() -> bool:
    """Whether this thread is importing an installed plugin, which can't be asked what it adds until that is done."""
    frames = (frame for frame, _ in traceback.walk_stack(None) if frame.f_code.co_name == "<module>")
    running = {frame.f_globals.get("__name__") for frame in frames}
    return any(
        point.value.partition(":")[0] in running for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)
    )


def _versions_of_opbook(requirements: Iterable[str]) -> str:
    """What a distribution says of opbook among its dependencies."""
    for requirement in requirements:
        if not re.match(r"opbook\s*(\[[^]]*\])?\s*[(<>=!~]", requirement):
            continue
        try:
            from packaging.requirements import InvalidRequirement, Requirement
        except ImportError:  # it comes with opbook[cli]; without it, that is pip's to see to
            return ""
        try:
            read = Requirement(requirement)
        except InvalidRequirement:  # metadata of some old tool
            continue
        if read.marker is None or read.marker.evaluate({"extra": ""}):
            return str(read.specifier)
    return ""


def is_seen(info: PluginInfo, plugins: Iterable[PluginInfo]) -> bool:
    """Tell whether a plugin is one that has been loaded already, found in another way.

    Args:
        info: The plugin.
        plugins: All that were found.

    Returns:
        True if it is the file of a loaded module, or the module of another entry point of its distribution.
    """
    source = info.source
    loaded = [other for other in plugins if other is not info and other.path]
    if source.is_file:
        return any(Path(other.path).resolve() == Path(source.module) for other in loaded)
    return any((o.source.distribution, o.source.module) == (source.distribution, source.module) for o in loaded)


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

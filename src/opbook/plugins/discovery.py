"""Plugins: how they are found, imported, and asked what they add."""

import importlib
import importlib.util
import re
import sys
import traceback
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from opbook.errors import PluginError
from opbook.plugins.distributions import (
    BrokenDistribution,
    canonical,
    entry_points_of,
    folder_of,
    installed,
    metadata_of,
)


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
        broken: What is wrong with the distribution's own files, or "".
    """

    name: str
    distribution: str
    version: str
    module: str
    licence: str = ""
    requires: str = ""
    broken: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a single file rather than a distribution."""
        return not self.distribution

    @property
    def names(self) -> tuple[str, ...]:
        """What settings may call it: its name, its distribution, its module or file."""
        return tuple(name for name in (self.name, self.distribution, self.module) if name)

    def is_called(self, name: str) -> bool:
        """Whether a name means it. Names are compared as packaging compares them, paths of files as they are."""
        if name == self.module:
            return True
        return canonical(name) in {canonical(one) for one in (self.names[:-1] if self.is_file else self.names)}

    def __str__(self) -> str:
        if self.is_file or self.broken:
            return self.module
        return f"{self.distribution} {self.version} (entry point {self.name} = {self.module})"

    def load(self) -> ModuleType:
        """Import the plugin's module."""
        if self.broken:
            raise PluginError(self.broken)
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

    @property
    def documents(self) -> list[Path]:
        """The Markdown files that it brings along beside its own examples: guides, and what it says of categories."""
        return [Path(file) for nouns in ("guides", "families") for file in self.contributes[nouns]]


def find_plugins(files: Iterable[Path]) -> list[PluginInfo]:
    """Find plugins, each once, in an order that does not depend on that of discovery."""
    found = [source for sources in installed_sources().values() for source in sources]
    found += [PluginSource(path.stem, "", "", str(path)) for path in {Path(file).resolve() for file in files}]
    found.sort(key=lambda source: (source.distribution, source.name, source.module))
    names = [name for source in found for name in {canonical(name) for name in source.names}]

    def handle(source: PluginSource) -> str:
        return next((name for name in source.names if names.count(canonical(name)) == 1), source.name)

    return [PluginInfo(source, handle(source)) for source in found]


def installed_sources() -> dict[str, list[PluginSource]]:
    """Find the plugins of each distribution, by its name; of two of one name, those of the first that can be read."""
    found: dict[str, list[PluginSource]] = {}
    broken: dict[str, list[PluginSource]] = {}
    for one in installed():
        folder = folder_of(one)
        try:
            metadata, points = metadata_of(one), entry_points_of(one)
        except BrokenDistribution as error:
            name = folder.stem.partition("-")[0]
            advice = f"Delete the folder, or install it again with: pip install --force-reinstall {name}"
            broken.setdefault(canonical(name), [PluginSource(name, name, "", str(folder), broken=f"{error}. {advice}")])
            continue
        name, version = str(metadata["Name"]), str(metadata["Version"])
        licence = str(metadata.get("License-Expression") or metadata.get("License") or "")
        requires = _versions_of_opbook(one.requires or ())
        sources = [PluginSource(point.name, name, version, point.module, licence, requires) for point in points]
        found.setdefault(canonical(name), list(dict.fromkeys(sources)))
    return broken | found


def imports_plugin() -> bool:
    """Whether this thread is importing an installed plugin, which can't be asked what it adds until that is done."""
    frames = (frame for frame, _ in traceback.walk_stack(None) if frame.f_code.co_name == "<module>")
    running = {frame.f_globals.get("__name__") for frame in frames}
    sources = (source for sources in installed_sources().values() for source in sources)
    return any(source.module.partition(":")[0] in running for source in sources)


def _versions_of_opbook(requirements: Iterable[str]) -> str:
    """What a distribution says of opbook among its dependencies."""
    for requirement in requirements:
        name = re.match(r"[\w.-]+", requirement)
        if name is None or canonical(name[0]) != "opbook":
            continue
        try:
            from packaging.requirements import InvalidRequirement, Requirement
        except ImportError:  # it comes with opbook[cli]; without it, that is pip's to see to
            return ""
        try:
            read = Requirement(requirement)
        except InvalidRequirement:  # metadata of some old tool
            continue
        if read.specifier and (read.marker is None or read.marker.evaluate({"extra": ""})):
            return str(read.specifier)
    return ""


def is_seen(info: PluginInfo, plugins: Iterable[PluginInfo]) -> bool:
    """Tell whether a plugin is one that has been loaded already, found in another way.

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

"""The catalogue: every loaded builtin by name, with the plugin and the distribution that it came from.

One bad plugin costs its own builtins and nothing else: it is skipped, and said to be skipped, by `opbook plugins`.
"""

import importlib.metadata
import importlib.util
import inspect
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from opbook import hookspecs
from opbook.builtin import Builtin
from opbook.errors import ArgumentError, PluginError, UnknownBuiltinError, nearest
from opbook.notebook import table_html

ENTRY_POINT_GROUP = "opbook"


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

    def __str__(self) -> str:
        if self.is_file:
            return self.module
        return f"{self.distribution} {self.version} (entry point {self.name} = {self.module})"

    def load(self) -> ModuleType:
        """Import the plugin's module."""
        if not self.is_file:
            return importlib.import_module(self.module)
        return import_file(Path(self.module))


SESSION = Source("session", "", "", "this session")
"""What stands for a plugin where a builtin was registered with [`register`][opbook.catalogue.register]."""


@dataclass
class PluginInfo:
    """A plugin as it was found and what became of it.

    Attributes:
        source: Where it was found.
        state: `"loaded"`, `"disabled"` or `"failed"`.
        error: Why it failed, in one line with what to do.
        path: The module's file, once it is loaded.
        builtins: The names that it adds.
    """

    source: Source
    state: str = "loaded"
    error: str = ""
    path: str = ""
    builtins: list[str] = field(default_factory=list)


class Catalogue(Mapping[str, Builtin]):
    """The loaded builtins by name, in alphabetical order.

    Attributes:
        plugins: Every plugin found, whether it could be loaded or not.
    """

    def __init__(self, plugins: list[PluginInfo], builtins: Iterable[tuple[PluginInfo, Builtin]]) -> None:
        self.plugins = plugins
        claims: dict[str, list[tuple[PluginInfo, Builtin]]] = {}
        for info, op in builtins:
            claims.setdefault(op.name, []).append((info, op))
        self._claims = dict(sorted(claims.items()))
        self._builtins = {name: found[0][1] for name, found in self._claims.items() if len(found) == 1}

    def __getitem__(self, name: str) -> Builtin:
        if name in self._builtins:
            return self._builtins[name]
        if name in self._claims:
            raise PluginError(self._conflict(name))
        failed = [info.source.name for info in self.plugins if info.state == "failed"]
        missing = f" Plugins that failed to load: {', '.join(failed)}; opbook plugins says why." if failed else ""
        raise UnknownBuiltinError(
            f"there is no builtin {name}.{nearest(str(name), self._builtins)}{missing} opbook list shows all"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._builtins)

    def __len__(self) -> int:
        return len(self._builtins)

    def __contains__(self, name: object) -> bool:
        return name in self._builtins

    def _conflict(self, name: str) -> str:
        owners = [str(info.source) for info, _ in self._claims[name]]
        disable = " or ".join(f"OPBOOK_DISABLE={info.source.name}" for info, _ in self._claims[name])
        return f"{len(owners)} plugins claim the builtin {name}: {' and '.join(owners)}. Choose with {disable}"

    def conflicts(self) -> list[str]:
        """Say which names more than one plugin claims.

        Returns:
            One message for each, which names the plugins and how to choose.
        """
        return [self._conflict(name) for name in self._claims if name not in self._builtins]

    def plugin_of(self, name: str) -> PluginInfo:
        """Find the plugin that a builtin came from.

        Args:
            name: The builtin's name.

        Returns:
            The plugin.

        Raises:
            UnknownBuiltinError: There is no such builtin.
        """
        self[name]
        return self._claims[name][0][0]

    def categories(self) -> dict[str, list[Builtin]]:
        """Group the builtins.

        Returns:
            The builtins of each category, both in alphabetical order.
        """
        grouped: dict[str, list[Builtin]] = {}
        for op in self._builtins.values():
            grouped.setdefault(op.category, []).append(op)
        return dict(sorted(grouped.items()))

    def register(self, op: Builtin) -> None:
        """Add a builtin of a session.

        Args:
            op: The builtin. One of the same name that was registered before is replaced.

        Raises:
            PluginError: A plugin has a builtin of that name.
        """
        owners = [str(info.source) for info, _ in self._claims.get(op.name, ()) if info.source != SESSION]
        if owners:
            raise PluginError(
                f"{op.name} is a builtin of {' and '.join(owners)} already; give yours another name, such as "
                f"my_{op.name}"
            )
        self._keep({**self._registered(), op.name: op})

    def _registered(self) -> dict[str, Builtin]:
        return {name: found[0][1] for name, found in self._claims.items() if found[0][0].source == SESSION}

    def _keep(self, ops: dict[str, Builtin]) -> None:
        """Have these builtins of the session, and no others. Whoever is iterating goes on with what there was."""
        info = PluginInfo(SESSION, builtins=sorted(ops))
        self.plugins = [each for each in self.plugins if each.source != SESSION] + [info] * bool(ops)
        claims = {name: found for name, found in self._claims.items() if found[0][0].source != SESSION}
        claims |= {name: [(info, op)] for name, op in ops.items()}
        self._claims = dict(sorted(claims.items()))
        self._builtins = {name: found[0][1] for name, found in self._claims.items() if len(found) == 1}

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return table_html((op.name, op.category, op.summary) for op in self.values())


def load(files: Sequence[str | os.PathLike[str]] = ()) -> Catalogue:
    """Load every plugin that is installed.

    Args:
        files: Paths of one-file plugins to load as well, beside those that `OPBOOK_PLUGINS` names.

    Returns:
        A catalogue of its own. Entry points or modules named in `OPBOOK_DISABLE` (separated by commas) are left out.

    Raises:
        PluginError: With `OPBOOK_STRICT=1`, the first plugin that fails or conflicts.
    """
    with _one_at_a_time():
        return _load(files)


def _load(files: Sequence[str | os.PathLike[str]]) -> Catalogue:
    strict = os.environ.get("OPBOOK_STRICT") == "1"
    disabled = {name.strip() for name in os.environ.get("OPBOOK_DISABLE", "").split(",")}
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    plugins: list[PluginInfo] = []
    builtins: list[tuple[PluginInfo, Builtin]] = []
    for source in _sources(files):
        info = PluginInfo(source)
        plugins.append(info)
        if {source.name, source.module, source.distribution} & disabled - {""}:
            info.state = "disabled"
            continue
        try:
            ops = _load_one(manager, info)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything, SystemExit included
            info.state = "failed"
            info.error = (
                f"{source}: {type(error).__name__}: {_message_of(error)}. Mend it, or leave it out with "
                f"OPBOOK_DISABLE={source.name}"
            )
            if strict:
                raise PluginError(info.error) from error
            continue
        info.builtins = sorted(op.name for op in ops)
        builtins += [(info, op) for op in ops]
    catalogue = Catalogue(plugins, builtins)
    if strict and catalogue.conflicts():
        raise PluginError(catalogue.conflicts()[0])
    return catalogue


_default: Catalogue | None = None
_lock = threading.RLock()
_loading = False


def catalogue() -> Catalogue:
    """The catalogue of this process: every installed plugin and the files in `OPBOOK_PLUGINS`, loaded on first use.

    Returns:
        The same catalogue every time.
    """
    global _default
    with _lock:
        if _default is None:
            _default = load()
        return _default


def register(op: Builtin) -> Builtin:
    """Add a builtin to the catalogue of this process, in a session, a notebook or a script.

    From then on it can be imported from `opbook.ops`, and programs in the notation can call it. It lasts as long as the
    process; the commands of the command line, which are processes of their own, see plugins only.

    Args:
        op: What [`builtin`][opbook.builtin.builtin] made. One that was registered before under the same name is
            replaced, as when a notebook's cell is run again.

    Returns:
        The same, so that `@register` can stand above `@builtin(category="...")`.

    Raises:
        ArgumentError: It is no builtin.
        PluginError: A plugin has a builtin of that name.
    """
    _refuse_what_is_none(op)
    with _lock:
        catalogue().register(op)
    return op


def _refuse_what_is_none(op: Any) -> None:
    if not isinstance(op, Builtin):
        hint = '; decorate it with @builtin(category="...") first' if callable(op) else ""
        raise ArgumentError(f"register takes a builtin, but {op!r} came{hint}")


@contextmanager
def scratch_session() -> Iterator[None]:
    """Forget at the end what is registered within, so that one example leaves nothing to the next."""
    before = _default._registered() if _default else {}
    try:
        yield
    finally:
        if _default and _default._registered() != before:
            with _lock:
                _default._keep(before)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """A plugin that asks for the catalogue while it is being made would wait for itself."""
    global _loading
    with _lock:
        if _loading:
            raise PluginError(
                "opbook.ops can't be used while plugins are being loaded: a plugin imports what it needs from the "
                "other plugin itself (from opbook_NAME import NAME)"
            )
        _loading = True
        try:
            yield
        finally:
            _loading = False


def _sources(files: Sequence[str | os.PathLike[str]]) -> list[Source]:
    """Find plugins, each once, in an order that does not depend on that of discovery."""
    found = set()
    for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        if point.dist is not None:
            meta = point.dist.metadata
            licence = next((meta[key] for key in ("License-Expression", "License") if key in meta), "")
            found.add(Source(point.name, point.dist.name, point.dist.version, point.value, licence))
    named = [part for part in os.environ.get("OPBOOK_PLUGINS", "").split(os.pathsep) if part]
    for file in [*named, *files]:
        path = Path(file).resolve()
        found.add(Source(path.stem, "", "", str(path)))
    return sorted(found, key=lambda s: (s.distribution, s.name, s.module))


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


def _message_of(error: BaseException) -> str:
    """An error's message; a syntax error's with its file, which may be another plugin's that this one imports."""
    try:
        message = str(error)
    except Exception:  # somebody else's class
        return "(no message)"
    return (
        f"{error.filename}:{error.lineno}: {message}" if isinstance(error, SyntaxError) and error.filename else message
    )


def _load_one(manager: pluggy.PluginManager, info: PluginInfo) -> list[Builtin]:
    """Import, register and ask one plugin; if anything fails, nothing of it stays registered."""
    module = info.source.load()
    if not inspect.ismodule(module):
        raise TypeError(f"an entry point must name a module, but {info.source.module} is a {type(module).__name__}")
    info.path = module.__file__ or ""
    name = f"{info.source.distribution}:{info.source.name}:{info.source.module}"
    manager.register(module, name)
    try:
        _refuse_misspelt(manager, module)
        ops: list[Builtin] = []
        for hook in manager.hook.opbook_builtins.get_hookimpls():
            if hook.plugin_name == name:
                ops += _checked(hook.function())
        return ops
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


def _checked(result: Any) -> list[Builtin]:
    if not isinstance(result, Iterable):
        raise TypeError(f"opbook_builtins() must return a list of builtins, but returned {type(result).__name__}")
    ops = list(result)
    names = [op.name for op in ops if isinstance(op, Builtin)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"opbook_builtins() returned {names.count(name)} builtins named {name}")
    for op in ops:
        if not isinstance(op, Builtin):
            hint = "; decorate it with @builtin(category=...)" if callable(op) else ""
            raise TypeError(f"opbook_builtins() returned {op!r}, which is no builtin{hint}")
    return ops

"""The catalogue: every loaded builtin by name, with the plugin and the distribution that it came from.

One bad plugin costs its own builtins and nothing else: it is skipped, and said to be skipped, by `opbook plugins`.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from opbook.builtins.builtin import Builtin
from opbook.builtins.notebook import table_markdown
from opbook.builtins.property import Property
from opbook.builtins.rule import Rule
from opbook.errors import ArgumentError, PluginError, UnknownBuiltinError, nearest
from opbook.plugins.contributions import Contribution
from opbook.plugins.discovery import SESSION, PluginInfo, imports_plugin
from opbook.plugins.loading import load_plugins, load_samples
from opbook.plugins.resolution import Resolution
from opbook.plugins.settings import Settings, read_settings

T = TypeVar("T")


class Catalogue(Mapping[str, Builtin]):
    """The loaded builtins by name, in alphabetical order.

    Attributes:
        plugins: Every plugin found, whether it could be loaded or not.
        settings: What the user has set.
    """

    def __init__(
        self,
        plugins: list[PluginInfo],
        contributions: Iterable[Contribution[Any]] = (),
        settings: Settings | None = None,
    ) -> None:
        self.plugins = plugins
        self.settings = settings or Settings()
        self._found = list(contributions)
        self._registered: dict[str, Builtin] = {}
        self._in_force = False
        self._has_samples = False
        self._resolve()

    def _resolve(self) -> None:
        """Choose among what was found. All is made anew, so that whoever is iterating goes on with what there was."""
        self._resolved = Resolution(self.plugins, self._found, self.settings)
        self._builtins = {name: self._bound(op) for name, op in self._resolved.builtins.items()}

    def _bound(self, op: Builtin) -> Builtin:
        """A builtin with the rules and properties that this catalogue has chosen for it."""
        rules = [one.thing for one in self.contributions(Rule, op.name)]
        asked = self._resolved.asked.get(op.name, [])
        if self._in_force:
            op.use_rules(rules, asked)
        else:
            op = op.with_rules(rules, asked)
        op.properties = tuple(one.thing for one in self.contributions(Property, op.name))
        return op

    def put_in_force(self) -> None:
        """Have the plugins' own objects, which they import from each other, ask the rules that are chosen here.

        Without it, a catalogue has copies of them, and what is called through another one does not change.
        """
        self._in_force = True
        self._resolve()

    def load_samples(self) -> None:
        """Import the module `samples` of every plugin that has one; whoever runs checks needs it, and only they.

        From then on the builtins have the samples that stand there, and the properties that it states. One that fails
        costs the plugin its samples, which its builtins can't be verified without: they stay as they are otherwise.

        Raises:
            PluginError: With `OPBOOK_STRICT=1`, the first that fails, or whose property is of no builtin.
        """
        with _lock:
            if not self._has_samples:
                self._has_samples = True
                for info in self.plugins:
                    if info.state == "loaded":
                        mine = [one for one in self._found if one.plugin is info]
                        self._found += load_samples(info, [one.thing for one in mine])
                self._resolve()
            if self.settings.strict and self.conflicts():
                raise PluginError(self.conflicts()[0])

    def __getitem__(self, name: str) -> Builtin:
        if name in self._builtins:
            return self._builtins[name]
        if name in self._resolved.unclear:
            raise PluginError(self._resolved.unclear[name])
        failed = [info.source.name for info in self.plugins if info.state == "failed"]
        missing = f" Plugins that failed to load: {', '.join(failed)}; opbook plugins says why." if failed else ""
        hint = nearest(str(name), self._builtins)
        raise UnknownBuiltinError(f"there is no builtin {name or repr(name)}.{hint}{missing} opbook list shows all")

    def __iter__(self) -> Iterator[str]:
        return iter(self._builtins)

    def __len__(self) -> int:
        return len(self._builtins)

    def __contains__(self, name: object) -> bool:
        return name in self._builtins

    def conflicts(self) -> list[str]:
        """Say what does not fit together: names that several plugins claim, what is not clear or not used.

        Returns:
            One message for each, which names the plugins and says how to choose.
        """
        return self._resolved.conflicts(self.plugins)

    def contributions(self, kind: type[T], builtin: str = "") -> list[Contribution[T]]:
        """Find what plugins contribute to a builtin, or to the whole book.

        Args:
            kind: What: rules, properties, sections, guides or hooks that make commands, by their class.
            builtin: The builtin's name; "" for what is for none in particular.

        Returns:
            Each with its plugin, in the order of the plugins; of rules, those that are asked first, in order.
        """
        return self._resolved.taken(kind, builtin)

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
        return self._resolved.chosen[name].plugin

    def replaced(self, name: str) -> list[PluginInfo]:
        """Find the plugins whose builtin of a name is not the one that the name means.

        Args:
            name: The builtin's name.

        Returns:
            The plugins; none if only one plugin has such a builtin.
        """
        if name not in self._resolved.chosen:
            return []
        mine = self._resolved.chosen[name].plugin
        return [one.plugin for one in self._resolved.claims[name] if one.plugin is not mine]

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
        claims = self._resolved.claims.get(op.name, ())
        owners = [str(one.plugin.source) for one in claims if one.plugin.source != SESSION]
        if owners:
            raise PluginError(
                f"{op.name} is a builtin of {' and '.join(owners)} already; give yours another name, such as "
                f"my_{op.name}"
            )
        self._keep({**self._registered, op.name: op})

    def _keep(self, ops: dict[str, Builtin]) -> None:
        """Have these builtins of the session, and no others."""
        self._registered = ops
        session = PluginInfo(SESSION, SESSION.name)
        self.plugins = [info for info in self.plugins if info.source != SESSION] + [session] * bool(ops)
        self._found = [one for one in self._found if one.plugin.source != SESSION]
        self._found += [Contribution(session, op) for op in ops.values()]
        self._resolve()

    def _repr_markdown_(self) -> str:
        """Show it in a notebook."""
        return table_markdown((op.name, op.category, op.summary) for op in self.values())


def load(files: Sequence[str | os.PathLike[str]] = ()) -> Catalogue:
    """Load every plugin that is installed.

    Args:
        files: Paths of one-file plugins to load as well, beside those that the settings name.

    Returns:
        A catalogue of its own: what is called through it is computed by the rules that it has chosen, and nothing else
        in this process changes. What its builtins call themselves is answered as everywhere, by the catalogue of the
        process.

    Raises:
        PluginError: With `OPBOOK_STRICT=1`, the first plugin that fails or conflicts.
        SettingsError: A setting is not understood.
    """
    with _one_at_a_time():
        settings = read_settings([Path(file) for file in files])
        loaded = Catalogue(*load_plugins(settings), settings)
        if settings.strict and loaded.conflicts():
            raise PluginError(loaded.conflicts()[0])
        return loaded


_default: Catalogue | None = None
_lock = threading.RLock()
_loading = False


def catalogue() -> Catalogue:
    """The catalogue of this process: every installed plugin and the files of the settings, loaded on first use.

    It decides which rules run when a builtin is called, wherever that was imported from.

    Returns:
        The same catalogue every time.
    """
    global _default
    with _lock:
        if _default is None:
            loaded = load()
            loaded.put_in_force()
            _default = loaded
        return _default


def load_for_first_use() -> bool:
    """Load the catalogue of this process because a builtin is called, and any plugin may have a rule for it.

    Returns:
        False, and nothing is done, for a plugin that calls a builtin while it is imported itself; the own rule answers.
    """
    if imports_plugin():
        return False
    with _lock:
        if _loading:
            return False
        catalogue()
        return True


def register(op: Builtin) -> Builtin:
    """Add a builtin to the catalogue of this process, in a session, a notebook or a script.

    From then on it can be imported from `opbook.ops`, and programs in the notation can call it. It lasts as long as the
    process; the commands of the command line, which are processes of their own, see plugins only.

    Args:
        op: What [`builtin`][opbook.builtins.builtin.builtin] made. One that was registered before under the same name
            is replaced, as when a notebook's cell is run again.

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
        raise ArgumentError(f"register takes a builtin, but got {op!r}{hint}")


@contextmanager
def scratch_session() -> Iterator[None]:
    """Forget at the end what is registered within, so that one example leaves nothing to the next."""
    before = _default._registered if _default else {}
    try:
        yield
    finally:
        if _default and _default._registered is not before:
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

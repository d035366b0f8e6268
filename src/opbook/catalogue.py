"""The catalogue: every loaded builtin by name, with the plugin and the distribution that it came from.

One bad plugin costs its own builtins and nothing else: it is skipped, and said to be skipped, by `opbook plugins`.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pluggy

from opbook import hookspecs
from opbook.builtin import Builtin
from opbook.configuration import Configuration, configuration
from opbook.errors import PluginError, UnknownBuiltinError, nearest
from opbook.plugins import PluginInfo, find_plugins, load_plugin, message_of
from opbook.resolving import Offer, asked, misfit


class Catalogue(Mapping[str, Builtin]):
    """The loaded builtins by name, in alphabetical order.

    Attributes:
        plugins: Every plugin found, whether it could be loaded or not.
        settings: What the user has set.
    """

    def __init__(
        self,
        plugins: list[PluginInfo],
        builtins: Iterable[tuple[PluginInfo, Builtin]],
        offers: Iterable[Offer] = (),
        settings: Configuration | None = None,
    ) -> None:
        self.plugins = plugins
        self.settings = settings or Configuration()
        claims: dict[str, list[tuple[PluginInfo, Builtin]]] = {}
        for info, op in builtins:
            claims.setdefault(op.name, []).append((info, op))
        self._claims = dict(sorted(claims.items()))
        self._builtins = {name: found[0][1] for name, found in self._claims.items() if len(found) == 1}
        self._unclear = {name: self._conflict(name) for name in self._claims if name not in self._builtins}
        self._misfits: list[str] = []
        self._offers: dict[str, list[Offer]] = {}
        self._asked: dict[str, list[str]] = {}
        self._choose_rules(offers)

    def _choose_rules(self, offers: Iterable[Offer]) -> None:
        for offer in offers:
            if offer.rule.builtin in self._unclear:
                continue
            if message := misfit(offer, self._builtins):
                self._misfits.append(message)
            else:
                self._offers.setdefault(offer.rule.builtin, []).append(offer)
                offer.plugin.rules = sorted({*offer.plugin.rules, str(offer.rule)})
        for name in sorted({*self._offers, *self.settings.rules}):
            wanted = self.settings.rules.get(name)
            if name not in self._builtins:
                if name not in self._unclear:
                    self._misfits.append(
                        f"the settings choose a rule of {name}, but there is no such builtin."
                        f"{nearest(name, self._builtins)} Take {name}={wanted} out of OPBOOK_RULES"
                    )
                continue
            try:
                self._asked[name] = asked(self._builtins[name], self._offers.get(name, []), wanted)
            except PluginError as error:
                self._unclear[name] = str(error)
        for name in self._unclear:
            self._builtins.pop(name, None)

    def attach(self) -> list[Builtin]:
        """Have the builtins ask other plugins' rules as this catalogue has chosen them.

        A builtin is one object in all catalogues of a process, so this is for the one that is in use.

        Returns:
            The builtins that have such rules.
        """
        for name, names in self._asked.items():
            self._builtins[name].use_rules([offer.rule for offer in self._offers.get(name, [])], names)
        return [self._builtins[name] for name in self._asked]

    def __getitem__(self, name: str) -> Builtin:
        if name in self._builtins:
            return self._builtins[name]
        if name in self._unclear:
            raise PluginError(self._unclear[name])
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
        disable = " or ".join(f"OPBOOK_DISABLE={info.handle}" for info, _ in self._claims[name])
        return f"{len(owners)} plugins claim the builtin {name}: {' and '.join(owners)}. Choose with {disable}"

    def conflicts(self) -> list[str]:
        """Say what does not fit together: names that several plugins claim, rules that are not clear or not used.

        Returns:
            One message for each, which names the plugins and says how to choose.
        """
        return [*(self._unclear[name] for name in sorted(self._unclear)), *self._misfits]

    def offers(self, name: str) -> list[Offer]:
        """Find the rules that plugins have for a builtin, beside its own.

        Args:
            name: The builtin's name.

        Returns:
            Each with its plugin, those that are asked first, in order.
        """
        names = self._asked.get(name, [])
        order = {rule: place for place, rule in enumerate(names)}
        return sorted(self._offers.get(name, []), key=lambda o: (order.get(o.rule.name, len(order)), o.rule.name))

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


def load(files: Sequence[str | os.PathLike[str]] = ()) -> Catalogue:
    """Load every plugin that is installed.

    Args:
        files: Paths of one-file plugins to load as well, beside those that `OPBOOK_PLUGINS` names.

    Returns:
        A catalogue of its own. Plugins named in `OPBOOK_DISABLE` (separated by commas) are left out. Builtins are asked
        for by the rules of this catalogue from now on, also if they are in another one.

    Raises:
        PluginError: With `OPBOOK_STRICT=1`, the first plugin that fails or conflicts.
        ConfigurationError: A setting is not understood.
    """
    with _one_at_a_time():
        for op in _accelerated:
            op.use_rules([], [])
        _accelerated.clear()
        loaded = _load(configuration(), [Path(file) for file in files])
        _accelerated.extend(loaded.attach())
        return loaded


def _load(settings: Configuration, files: Sequence[Path]) -> Catalogue:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    plugins = find_plugins([*settings.plugins, *files])
    builtins: list[tuple[PluginInfo, Builtin]] = []
    offers: list[Offer] = []
    for info in plugins:
        if settings.disable.intersection(info.source.names):
            info.state = "disabled"
            continue
        try:
            added = load_plugin(manager, info)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything, SystemExit included
            info.state = "failed"
            info.error = (
                f"{info.source}: {type(error).__name__}: {message_of(error)}. Mend it, or leave it out with "
                f"OPBOOK_DISABLE={info.handle}"
            )
            if settings.strict:
                raise PluginError(info.error) from error
            continue
        info.builtins = sorted(op.name for op in added.builtins)
        builtins += [(info, op) for op in added.builtins]
        offers += [Offer(info, rule) for rule in added.rules]
    loaded = Catalogue(plugins, builtins, offers, settings)
    if settings.strict and loaded.conflicts():
        raise PluginError(loaded.conflicts()[0])
    return loaded


_accelerated: list[Builtin] = []
"""Builtins that ask other plugins' rules, by the catalogue that was loaded last."""

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

"""Resolves what plugins contribute into what a catalogue has: what is taken, and what is said of the rest."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import Rule
from opbook.errors import PluginError, nearest
from opbook.plugins.contributions import KINDS, Contribution, HookResult
from opbook.plugins.discovery import PluginInfo
from opbook.plugins.precedence import choose_builtin, order_rules
from opbook.plugins.settings import FILE, Settings

T = TypeVar("T")


def grouped(found: Iterable[Contribution[T]], key: Callable[[T], Hashable]) -> list[list[Contribution[T]]]:
    """Put together what has the same key."""
    groups: dict[Hashable, list[Contribution[T]]] = {}
    for one in found:
        groups.setdefault(key(one.thing), []).append(one)
    return list(groups.values())


def not_alone(nouns: str, same: Sequence[Contribution[Any]]) -> str:
    """Say that several things are called the same, so that none of them is used."""
    things = " and ".join(f"{one.thing} of {one.plugin.source}" for one in same)
    disable = " or ".join(dict.fromkeys(f"OPBOOK_DISABLE={one.plugin.handle}" for one in same))
    return f"{len(same)} {nouns} have the same name: {things}. Rename one, or leave a plugin out with {disable}"


class Resolution:
    """What was decided about all that was found. Which plugin was found first does not matter.

    Attributes:
        claims: By name, every builtin of that name.
        chosen: By name, the builtin that is meant, where that is clear.
        builtins: The builtins by name, in alphabetical order.
        unclear: By name, why it can't be used.
        asked: By builtin, the names of the rules that are asked before its own.
        astray: Settings that lead nowhere, each as a message.
    """

    def __init__(self, plugins: Iterable[PluginInfo], found: Sequence[Contribution[Any]], settings: Settings) -> None:
        self.claims: dict[str, list[Contribution[Builtin]]] = {}
        self.chosen: dict[str, Contribution[Builtin]] = {}
        self.unclear: dict[str, str] = {}
        self.asked: dict[str, list[str]] = {}
        self.astray: list[str] = []
        self._taken: dict[type[Any], dict[str, list[Contribution[Any]]]] = {}
        for info in plugins:
            info.contributes.clear()
            info.unused.clear()
        self._choose_builtins(found, settings)
        self._take(KINDS["opbook_rules"], found)
        self._choose_rules(settings)
        self.builtins: dict[str, Builtin] = {
            name: self.chosen[name].thing for name in sorted(self.chosen) if name not in self.unclear
        }
        for kind in KINDS.values():
            if kind.type not in (Builtin, Rule):
                self._take(kind, found)

    def taken(self, kind: type[T], builtin: str = "") -> list[Contribution[T]]:
        """Look up what was taken of a kind, for a builtin or for none in particular; of rules, those asked first."""
        found = self._taken.get(kind, {}).get(builtin, [])
        if kind is not Rule:
            return list(found)
        order = self.asked.get(builtin, [])
        place = {name: i for i, name in enumerate(order)}
        return sorted(found, key=lambda one: (place.get(one.thing.name, len(order)), one.thing.name))

    def _choose_builtins(self, found: Iterable[Contribution[Any]], settings: Settings) -> None:
        for one in found:
            if isinstance(one.thing, Builtin):
                self.claims.setdefault(one.thing.name, []).append(one)
                one.plugin.contributes["builtins"].append(one.thing.name)
                one.plugin.contributes["builtins"].sort()
        for name, claims in self.claims.items():
            try:
                self.chosen[name] = choose_builtin(name, claims, settings.override.get(name))
            except PluginError as error:
                self.unclear[name] = str(error)
        for name, plugin in sorted(settings.override.items()):
            if name not in self.claims:
                self.astray.append(
                    f"the settings take {name} from {plugin}, but there is no such builtin."
                    f"{nearest(name, self.claims)} Take {name} out of OPBOOK_OVERRIDE, or of override in {FILE}"
                )

    def _choose_rules(self, settings: Settings) -> None:
        for name in sorted({*self._taken.get(Rule, {}), *settings.rules} - {*self.unclear}):
            if name not in self.chosen:
                self.astray.append(
                    f"the settings choose a rule of {name}, but there is no such builtin.{nearest(name, self.chosen)} "
                    f"Take {name} out of OPBOOK_RULES, or of rules in {FILE}"
                )
                continue
            try:
                self.asked[name] = order_rules(
                    self.chosen[name].thing, self.taken(Rule, name), settings.rules.get(name)
                )
            except PluginError as error:
                self.unclear[name] = str(error)

    def _take(self, kind: HookResult, found: Iterable[Contribution[Any]]) -> None:
        """Take what is of a kind, fits, and is alone: of several that are one by their key, none is used."""
        fitting = []
        for one in found:
            if not isinstance(one.thing, kind.type) or one.thing.builtin in self.unclear:
                continue
            if reason := self._misfit(one.thing):
                one.plugin.unused.append(
                    f"{one.plugin.source}: its {kind.noun} {one.thing} is not used: {reason} Mend it, or "
                    f"leave the plugin out with OPBOOK_DISABLE={one.plugin.handle}"
                )
            else:
                fitting.append(one)
        for same in grouped(fitting, lambda thing: thing.key):
            if len(same) > 1:
                message = not_alone(kind.nouns, same)
                for info in {id(one.plugin): one.plugin for one in same}.values():
                    info.unused.append(message)
                continue
            self._taken.setdefault(kind.type, {}).setdefault(same[0].thing.builtin, []).append(same[0])
            same[0].plugin.contributes[kind.nouns].append(str(same[0].thing))

    def _misfit(self, thing: Any) -> str:
        if not thing.builtin:
            return str(thing.misfit(None))
        if thing.builtin not in self.chosen:
            return f"there is no builtin {thing.builtin}.{nearest(thing.builtin, self.chosen)}"
        return str(thing.misfit(self.chosen[thing.builtin].thing))

    def conflicts(self, plugins: Sequence[PluginInfo]) -> list[str]:
        """Say what does not fit together.

        Returns:
            A message for each name that is unclear, each plugin without its samples, each thing that fits no builtin,
            each setting that leads nowhere.
        """
        unclear = [self.unclear[name] for name in sorted(self.unclear)]
        failed = [info.error for info in plugins if info.state == "loaded" and info.error]
        unused = [message for info in plugins for message in info.unused]
        # what several plugins have a part in is said of each of them, and here once
        return list(dict.fromkeys([*unclear, *failed, *unused, *self.astray]))

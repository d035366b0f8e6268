"""Settles what a catalogue has: which builtin each name means, which rules are asked, and what fits nothing."""

from collections.abc import Iterable, Sequence

from opbook.builtins.builtin import Builtin
from opbook.builtins.property import Property
from opbook.errors import PluginError, nearest
from opbook.plugins.choice import Claim, Offer, Statement, asked, chosen, misfit
from opbook.plugins.configuration import FILE, Configuration
from opbook.plugins.discovery import PluginInfo
from opbook.plugins.misfits import Brought, Remark, no_guide, of_no_builtin, same_guides, same_titles


class Settlement:
    """What was decided about all that was found.

    Attributes:
        claims: By name, every builtin of that name.
        chosen: By name, the builtin that is meant, where that is clear.
        builtins: The builtins by name, in alphabetical order.
        unclear: By name, why it can't be used.
        offers: By builtin, the rules that plugins have for it.
        asked: By builtin, the names of those that are asked before its own.
        properties: By builtin, what plugins state of it.
        sections: By builtin, what plugins add to its page.
        astray: Settings that lead nowhere, each as a message.
    """

    def __init__(
        self,
        plugins: Iterable[PluginInfo],
        found: Iterable[Claim],
        offers: Iterable[Offer],
        statements: Iterable[Statement],
        guides: Iterable[Brought],
        remarks: Iterable[Remark],
        settings: Configuration,
    ) -> None:
        self.claims: dict[str, list[Claim]] = {}
        self.chosen: dict[str, Claim] = {}
        self.unclear: dict[str, str] = {}
        self.offers: dict[str, list[Offer]] = {}
        self.asked: dict[str, list[str]] = {}
        self.properties: dict[str, list[Property]] = {}
        self.sections: dict[str, list[Remark]] = {}
        self.astray: list[str] = []
        for info in plugins:
            info.rules, info.properties, info.guides, info.sections, info.unused = [], [], [], [], []
        self._choose_builtins(found, settings)
        self._take_offers(offers)
        self._choose_rules(settings)
        self.builtins: dict[str, Builtin] = {
            name: self.chosen[name][1] for name in sorted(self.chosen) if name not in self.unclear
        }
        self._take_statements(statements)
        self._take_guides(guides)
        self._take_sections(remarks)

    def _choose_builtins(self, found: Iterable[Claim], settings: Configuration) -> None:
        for info, op in found:
            self.claims.setdefault(op.name, []).append((info, op))
        for name, claims in self.claims.items():
            try:
                self.chosen[name] = chosen(name, claims, settings.override.get(name))
            except PluginError as error:
                self.unclear[name] = str(error)
        for name, plugin in sorted(settings.override.items()):
            if name not in self.claims:
                self.astray.append(
                    f"the settings take {name} from {plugin}, but there is no such builtin."
                    f"{nearest(name, self.claims)} Take {name} out of OPBOOK_OVERRIDE, or of override in {FILE}"
                )

    def _take_offers(self, offers: Iterable[Offer]) -> None:
        ops = {name: op for name, (_, op) in self.chosen.items()}
        for offer in offers:
            if offer.rule.builtin in self.unclear:
                continue
            if message := misfit(offer, ops):
                offer.plugin.unused.append(message)
            else:
                self.offers.setdefault(offer.rule.builtin, []).append(offer)
                offer.plugin.rules = sorted({*offer.plugin.rules, str(offer.rule)})

    def _choose_rules(self, settings: Configuration) -> None:
        for name in sorted({*self.offers, *settings.rules} - {*self.unclear}):
            if name not in self.chosen:
                self.astray.append(
                    f"the settings choose a rule of {name}, but there is no such builtin.{nearest(name, self.chosen)} "
                    f"Take {name} out of OPBOOK_RULES, or of rules in {FILE}"
                )
                continue
            try:
                self.asked[name] = asked(self.chosen[name][1], self.offers.get(name, []), settings.rules.get(name))
            except PluginError as error:
                self.unclear[name] = str(error)

    def _take_statements(self, statements: Iterable[Statement]) -> None:
        for info, stated in statements:
            if stated.builtin in self.builtins:
                self.properties.setdefault(stated.builtin, []).append(stated)
                info.properties.append(str(stated))
            elif stated.builtin not in self.unclear:
                info.unused.append(of_no_builtin(info, f"check {stated.name!r}", stated.builtin, self.builtins))

    def _take_guides(self, guides: Iterable[Brought]) -> None:
        by_name: dict[str, list[Brought]] = {}
        for info, path in guides:
            if message := no_guide(info, path):
                info.unused.append(message)
            else:
                by_name.setdefault(path.stem.lower(), []).append((info, path))
        for same in by_name.values():
            if len(same) > 1:
                _leave_out(same, same_guides(same))
                continue
            info, path = same[0]
            info.guides.append(str(path))

    def _take_sections(self, remarks: Iterable[Remark]) -> None:
        by_title: dict[tuple[str, str], list[Remark]] = {}
        for info, section in remarks:
            if section.builtin in self.builtins:
                by_title.setdefault((section.builtin, section.title.strip().lower()), []).append((info, section))
            elif section.builtin not in self.unclear:
                info.unused.append(of_no_builtin(info, f"section {section.title!r}", section.builtin, self.builtins))
        for same in by_title.values():
            if len(same) > 1:
                _leave_out(same, same_titles(same))
                continue
            info, section = same[0]
            self.sections.setdefault(section.builtin, []).append((info, section))
            info.sections.append(str(section))

    def conflicts(self, plugins: Sequence[PluginInfo]) -> list[str]:
        """Say what does not fit together.

        Args:
            plugins: The plugins.

        Returns:
            A message for each name that is unclear, each plugin without its samples, each thing that fits no builtin,
            each setting that leads nowhere.
        """
        unclear = [self.unclear[name] for name in sorted(self.unclear)]
        failed = [info.error for info in plugins if info.state == "loaded" and info.error]
        unused = [message for info in plugins for message in info.unused]
        # what several plugins have a part in is said of each of them, and here once
        return list(dict.fromkeys([*unclear, *failed, *unused, *self.astray]))


def _leave_out(added: Iterable[tuple[PluginInfo, object]], message: str) -> None:
    """None of them is used: which was found first does not matter."""
    for info, _ in added:
        if message not in info.unused:
            info.unused.append(message)

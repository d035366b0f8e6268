"""What the catalogue knows of the builtins of a book, taken from it once; the later steps ask the catalogue no more."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import Rule
from opbook.examples.collection import EXAMPLES_PAGE
from opbook.pages.dependencies import dependencies
from opbook.pages.page import OtherRule
from opbook.pages.selection import select
from opbook.pages.source import package, whole
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.contributions import Contribution, Section
from opbook.plugins.discovery import PluginInfo


@dataclass(frozen=True)
class Entry:
    """A builtin with its plugin, and with what other plugins add to it."""

    op: Builtin
    plugin: PluginInfo
    replaced: tuple[PluginInfo, ...]
    rules: tuple[OtherRule, ...]
    sections: tuple[Contribution[Section], ...]
    uses: tuple[str, ...]
    used_by: tuple[str, ...]
    packages: frozenset[str]  # those at the top that hold builtins

    @property
    def examples_page(self) -> Path:
        """The page of its plugin's own examples, whether it exists or not."""
        return examples_page(self.plugin)


def examples_page(plugin: PluginInfo) -> Path:
    """The page of a plugin's own examples, whether it exists or not."""
    return Path(plugin.path).parent / EXAMPLES_PAGE


def entries(catalogue: Catalogue, only: Sequence[str] = ()) -> dict[str, Entry]:
    """Take builtins from a catalogue.

    Args:
        catalogue: The catalogue.
        only: Builtins, categories, plugins or distributions; nothing stands for all.

    Raises:
        UnknownBuiltinError: One of `only` is nothing of that kind.
    """
    made_of = dependencies(catalogue)
    packages = frozenset(map(package, catalogue.values()))
    return {
        name: Entry(
            catalogue[name],
            catalogue.plugin_of(name),
            tuple(catalogue.replaced(name)),
            tuple(_rule(catalogue[name], one) for one in catalogue.contributions(Rule, name)),
            tuple(catalogue.contributions(Section, name)),
            made_of.uses[name],
            made_of.used_by[name],
            packages,
        )
        for name in select(catalogue, only)
    }


def _rule(op: Builtin, one: Contribution[Rule]) -> OtherRule:
    rule, source = one.thing, one.plugin.source
    return OtherRule(
        rule.name,
        source.name,
        source.distribution,
        source.version,
        rule.priority,
        rule.name in op.asked,
        whole(rule.function),
    )

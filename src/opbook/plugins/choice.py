"""Decides which of several builtins of one name is meant, and which of several rules of a builtin are asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from opbook.builtins.builtin import Builtin
from opbook.builtins.property import Property
from opbook.builtins.rule import OWN, Rule
from opbook.errors import PluginError, nearest
from opbook.plugins.configuration import FILE, TABLE
from opbook.plugins.discovery import PluginInfo


@dataclass(frozen=True)
class Offer:
    """A rule with the plugin that it comes from.

    Attributes:
        plugin: The plugin.
        rule: The rule.
    """

    plugin: PluginInfo
    rule: Rule


Claim = tuple[PluginInfo, Builtin]
"""A builtin with the plugin that it comes from."""


Statement = tuple[PluginInfo, Property]
"""A property of a builtin with the plugin that states it."""


def chosen(name: str, claims: Sequence[Claim], wanted: str | None) -> Claim:
    """Decide which of several builtins of one name is meant.

    Args:
        name: The name.
        claims: The builtins, at least one.
        wanted: The plugin that the user chose, by any of its names, or None.

    Returns:
        The one that the user chose; or else the only one; or else the one that says it replaces the other.

    Raises:
        PluginError: None or several of them are.
    """
    if wanted is not None:
        mine = [claim for claim in claims if wanted in claim[0].source.names]
        if len(mine) == 1:
            return mine[0]
        if not mine:
            known = [info.handle for info, _ in claims]
            raise PluginError(
                f"the settings take {name} from {wanted}, which has no such builtin.{nearest(wanted, known)} "
                f"{_listed(info.source for info, _ in claims)} {'has' if len(claims) == 1 else 'have'}. "
                f"{_advice(name, claims)}"
            )
        claims = mine
    if len(claims) == 1:
        return claims[0]
    replacing = [(info, op) for info, op in claims if op.replaces and _replaces_all(op, info, claims)]
    if len(replacing) == 1:
        return replacing[0]
    declared = [(info, op) for info, op in claims if op.replaces]
    what = (
        f"{len(declared)} plugins replace the builtin {name}: {_listed(info.source for info, _ in declared)}"
        if len(declared) > 1
        else f"{len(claims)} plugins claim the builtin {name}: {_listed(info.source for info, _ in claims)}"
    )
    raise PluginError(f"{what}. {_advice(name, claims)}")


def _replaces_all(op: Builtin, info: PluginInfo, claims: Sequence[Claim]) -> bool:
    return all(other is info or op.replaces in other.source.names for other, _ in claims)


def _listed(things: Iterable[object]) -> str:
    return " and ".join(map(str, things))


def _advice(name: str, claims: Sequence[Claim]) -> str:
    handles = [info.handle for info, _ in claims]
    choices = " or ".join(f"OPBOOK_OVERRIDE={name}={handle}" for handle in handles)
    disable = " or ".join(f"OPBOOK_DISABLE={handle}" for handle in handles)
    others = f", or leave one out with {disable}" if len(handles) > 1 else ""
    return f"Choose with {choices}{others}. {for_good('override', name, handles[0])}"


def for_good(setting: str, name: str, value: str) -> str:
    """Say how a choice is written down.

    Args:
        setting: The setting.
        name: The builtin.
        value: What is chosen for it.

    Returns:
        A sentence.
    """
    return f'For good, write {setting} = {{{name} = "{value}"}} under {TABLE} in {FILE}'


def misfit(offer: Offer, builtins: Mapping[str, Builtin]) -> str:
    """Say why a rule can't be taken.

    Args:
        offer: The rule.
        builtins: The builtins that there are.

    Returns:
        A message that names the plugin, or "" if the rule fits a call shape of its builtin.
    """
    rule, name = offer.rule, offer.rule.builtin
    if name not in builtins:
        reason = f"there is no builtin {name}.{nearest(name, builtins)}"
    else:
        reason = builtins[name].misfit(rule)
        if not reason:
            return ""
        reason = f"{reason}."
    return (
        f"{offer.plugin.source}: its rule {rule} is not used: {reason} Mend it, or leave the plugin out with "
        f"OPBOOK_DISABLE={offer.plugin.handle}"
    )


def asked(op: Builtin, offers: Sequence[Offer], wanted: str | None) -> list[str]:
    """Decide which rules of a builtin are asked before its own.

    Args:
        op: The builtin.
        offers: Rules that fit it.
        wanted: The name of the one that the user chose, or None.

    Returns:
        Their names in order: the chosen one alone, or all by priority.

    Raises:
        PluginError: Two have the same name or priority, or none has the name that the user chose.
    """
    names = list(dict.fromkeys(offer.rule.name for offer in offers))
    if wanted is not None:
        if wanted not in (*names, OWN):
            raise PluginError(
                f"the settings ask for the rule {wanted} of {op.name}, which has none of that name."
                f"{nearest(wanted, [*names, OWN])} It has {' and '.join([*names, OWN])}; choose one of them with "
                f"OPBOOK_RULES={op.name}={names[0] if names else OWN}, or install the plugin that has {wanted}"
            )
        if wanted == OWN:
            return []
        offers = [offer for offer in offers if offer.rule.name == wanted]
    for i, one in enumerate(offers):
        for other in offers[:i]:
            if _compete(op, one, other):
                raise PluginError(
                    _tie(op, sorted((one, other), key=lambda offer: (offer.rule.name, str(offer.plugin.source))))
                )
    by_priority = sorted(offers, key=lambda offer: -offer.rule.priority)
    return list(dict.fromkeys(offer.rule.name for offer in by_priority))


def _compete(op: Builtin, one: Offer, other: Offer) -> bool:
    """Whether nothing says which of two is asked first."""
    if one.rule.name != other.rule.name and one.rule.priority != other.rule.priority:
        return False
    return any(
        not shape.misfit(one.rule.function) and not shape.misfit(other.rule.function) for shape in op.call_shapes
    )


def _tie(op: Builtin, two: Iterable[Offer]) -> str:
    one, other = two
    if one.rule.name == other.rule.name:
        choices = " or ".join(f"OPBOOK_DISABLE={offer.plugin.handle}" for offer in (one, other))
        return (
            f"{op.name} has two rules named {one.rule.name}: of {one.plugin.source} and of {other.plugin.source}. "
            f"Leave one out with {choices}"
        )
    choices = " or ".join(f"OPBOOK_RULES={op.name}={offer.rule.name}" for offer in (one, other))
    return (
        f"two rules of {op.name} have priority {one.rule.priority}: {one.rule.name} of {one.plugin.source} and "
        f"{other.rule.name} of {other.plugin.source}. Choose with {choices}. "
        f"{for_good('rules', op.name, one.rule.name)}"
    )

"""Decides which of several rules of a builtin are asked, and in which order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from opbook.builtin import Builtin
from opbook.errors import PluginError, nearest
from opbook.plugins import PluginInfo
from opbook.rules import OWN, Rule


@dataclass(frozen=True)
class Offer:
    """A rule with the plugin that it comes from.

    Attributes:
        plugin: The plugin.
        rule: The rule.
    """

    plugin: PluginInfo
    rule: Rule


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
                f"OPBOOK_RULES={op.name}=NAME, or install the plugin that has {wanted}"
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
        choices = [f"OPBOOK_DISABLE={offer.plugin.handle}" for offer in (one, other)]
        what = f"{op.name} has two rules named {one.rule.name}: of {one.plugin.source} and of {other.plugin.source}"
    else:
        choices = [f"OPBOOK_RULES={op.name}={offer.rule.name}" for offer in (one, other)]
        what = (
            f"two rules of {op.name} have priority {one.rule.priority}: {one.rule.name} of {one.plugin.source} and "
            f"{other.rule.name} of {other.plugin.source}"
        )
    return f"{what}. Choose with {' or '.join(choices)}"

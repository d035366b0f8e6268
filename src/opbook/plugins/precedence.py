"""Precedence: which of several builtins of one name is meant, which of several rules of one is asked first."""

from collections.abc import Iterable, Sequence

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import OWN, Rule
from opbook.errors import PluginError, nearest
from opbook.plugins.contributions import Contribution
from opbook.plugins.settings import FILE, TABLE


def choose_builtin(name: str, claims: Sequence[Contribution[Builtin]], wanted: str | None) -> Contribution[Builtin]:
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
        mine = [claim for claim in claims if claim.plugin.source.is_called(wanted)]
        if len(mine) == 1:
            return mine[0]
        if not mine:
            known = [claim.plugin.handle for claim in claims]
            raise PluginError(
                f"the settings take {name} from {wanted}, which has no such builtin.{nearest(wanted, known)} "
                f"{_listed(claim.plugin.source for claim in claims)} {'has' if len(claims) == 1 else 'have'}. "
                f"{_advice(name, claims)}"
            )
        claims = mine
    if len(claims) == 1:
        return claims[0]
    replacing = [claim for claim in claims if _replaces_all(claim, claims)]
    if len(replacing) == 1:
        return replacing[0]
    declared = [claim for claim in claims if claim.thing.replaces]
    what = (
        f"{len(declared)} plugins replace the builtin {name}: {_listed(claim.plugin.source for claim in declared)}"
        if len(declared) > 1
        else f"{len(claims)} plugins claim the builtin {name}: {_listed(claim.plugin.source for claim in claims)}"
    )
    raise PluginError(f"{what}. {_advice(name, claims)}")


def _replaces_all(claim: Contribution[Builtin], claims: Sequence[Contribution[Builtin]]) -> bool:
    replaced = claim.thing.replaces
    return bool(replaced) and all(other is claim or other.plugin.source.is_called(replaced) for other in claims)


def _listed(things: Iterable[object]) -> str:
    return " and ".join(map(str, things))


def _advice(name: str, claims: Sequence[Contribution[Builtin]]) -> str:
    handles = [claim.plugin.handle for claim in claims]
    choices = " or ".join(f"OPBOOK_OVERRIDE={name}={handle}" for handle in handles)
    disable = " or ".join(f"OPBOOK_DISABLE={handle}" for handle in handles)
    others = f", or leave one out with {disable}" if len(handles) > 1 else ""
    return f"Choose with {choices}{others}. {_for_good('override', name, handles[0])}"


def _for_good(setting: str, name: str, value: str) -> str:
    """Say how a choice is written down."""
    return f'For good, write {setting} = {{{name} = "{value}"}} under {TABLE} in {FILE}'


def order_rules(op: Builtin, offers: Sequence[Contribution[Rule]], wanted: str | None) -> list[str]:
    """Decide which rules of a builtin are asked before its own.

    Args:
        op: The builtin.
        offers: Rules that fit it.
        wanted: The name of the one that the user chose, or None.

    Raises:
        PluginError: Two have the same priority, or none has the name that the user chose.
    """
    names = list(dict.fromkeys(offer.thing.name for offer in offers))
    if wanted is not None:
        if wanted not in (*names, OWN):
            raise PluginError(
                f"the settings name the rule {wanted} of {op.name}, which has none of that name."
                f"{nearest(wanted, [*names, OWN])} It has {' and '.join([*names, OWN])}; choose one of them with "
                f"OPBOOK_RULES={op.name}={names[0] if names else OWN}, or install the plugin that has {wanted}"
            )
        if wanted == OWN:
            return []
        offers = [offer for offer in offers if offer.thing.name == wanted]
    for i, one in enumerate(offers):
        for other in offers[:i]:
            if _compete(op, one, other):
                raise PluginError(
                    _tie(op, sorted((one, other), key=lambda offer: (offer.thing.name, str(offer.plugin.source))))
                )
    by_priority = sorted(offers, key=lambda offer: -offer.thing.priority)
    return list(dict.fromkeys(offer.thing.name for offer in by_priority))


def _compete(op: Builtin, one: Contribution[Rule], other: Contribution[Rule]) -> bool:
    """Whether nothing says which of two is asked first."""
    if one.thing.priority != other.thing.priority:
        return False
    return any(
        not shape.misfit(one.thing.function) and not shape.misfit(other.thing.function) for shape in op.call_shapes
    )


def _tie(op: Builtin, two: Iterable[Contribution[Rule]]) -> str:
    one, other = two
    choices = " or ".join(f"OPBOOK_RULES={op.name}={offer.thing.name}" for offer in (one, other))
    return (
        f"two rules of {op.name} have priority {one.thing.priority}: {one.thing.name} of {one.plugin.source} and "
        f"{other.thing.name} of {other.plugin.source}. Choose with {choices}. "
        f"{_for_good('rules', op.name, one.thing.name)}"
    )

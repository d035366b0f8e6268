"""Which builtins a site shows, where it does not show all."""

from collections.abc import Iterable, Sequence

from opbook.errors import UnknownBuiltinError, nearest
from opbook.plugins.catalogue import Catalogue


def select(catalogue: Catalogue, only: Sequence[str]) -> list[str]:
    """Look up builtins by their names, categories, plugins and distributions.

    Args:
        catalogue: The builtins.
        only: Any of these; nothing stands for all.

    Raises:
        UnknownBuiltinError: One of `only` is none of these.
    """
    if not only:
        return list(catalogue)
    groups = _groups(catalogue)
    chosen: set[str] = set()
    for word in only:
        found = groups.get(word.casefold())
        if found is None:
            raise UnknownBuiltinError(
                f"only: there is no builtin, category, plugin or distribution {word!r}.{nearest(word, groups)} "
                f"The categories are {', '.join(catalogue.categories())}"
            )
        chosen |= found
    return sorted(chosen)


def _groups(catalogue: Catalogue) -> dict[str, set[str]]:
    """The builtins that each word stands for. A builtin's own name means it alone, even if its plugin is called so."""
    groups: dict[str, set[str]] = {}

    def add(word: str, names: Iterable[str]) -> None:
        if word:
            groups.setdefault(word.casefold(), set()).update(names)

    for category, ops in catalogue.categories().items():
        add(category, (op.name for op in ops))
    for info in catalogue.plugins:
        names = [name for name in info.contributes["builtins"] if name in catalogue]
        add(info.source.name, names)
        add(info.source.distribution, names)
    return groups | {name.casefold(): {name} for name in catalogue}

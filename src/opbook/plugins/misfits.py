"""Says why something that a plugin adds is not used."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from opbook.builtins.builtin import Builtin
from opbook.errors import nearest
from opbook.plugins.discovery import PluginInfo
from opbook.plugins.section import Section

Brought = tuple[PluginInfo, Path]
"""The file of a guide with the plugin that brings it along."""

Remark = tuple[PluginInfo, Section]
"""A section for a builtin's page with the plugin that adds it."""


def of_no_builtin(info: PluginInfo, what: str, builtin: str, builtins: Mapping[str, Builtin]) -> str:
    """Say that something is for a builtin that is not there.

    Args:
        info: The plugin that adds it.
        what: What it is.
        builtin: The builtin that it is for.
        builtins: The builtins that there are.

    Returns:
        A message that names the plugin.
    """
    return (
        f"{info.source}: its {what} is not used: there is no builtin {builtin}.{nearest(builtin, builtins)} "
        f"Mend it, or leave the plugin out with OPBOOK_DISABLE={info.handle}"
    )


def no_guide(info: PluginInfo, path: Path) -> str:
    """Say why a file can't be a guide.

    Args:
        info: The plugin that brings it along.
        path: The file.

    Returns:
        A message that names the plugin, or "" if it can.
    """
    if path.suffix != ".md":
        reason = "is not Markdown: a guide's file ends in .md"
    elif path.stem.lower() in ("index", "readme"):
        reason = "would take the place of an index: give it another name, which becomes its address"
    elif not path.is_file():
        reason = "is not there; opbook_guides() returns paths as seen from the folder of the plugin's module"
    else:
        return ""
    return (
        f"{info.source}: its guide {path} {reason}. Mend it, or leave the plugin out with OPBOOK_DISABLE={info.handle}"
    )


def same_guides(brought: Sequence[Brought]) -> str:
    """Say that guides would have one address.

    Args:
        brought: The guides, with files of one name.

    Returns:
        A message that names the plugins and the files.
    """
    files = _and(f"{path} of {info.source}" for info, path in brought)
    return f"{len(brought)} guides are called {brought[0][1].stem}: {files}. Rename one{_or_leave_out(brought)}"


def same_titles(remarks: Sequence[Remark]) -> str:
    """Say that a builtin has sections of one title.

    Args:
        remarks: The sections.

    Returns:
        A message that names the plugins.
    """
    section = remarks[0][1]
    owners = _and(f"of {info.source}" for info, _ in remarks)
    return (
        f"{section.builtin} has {len(remarks)} sections named {section.title!r}: {owners}. Give one another title"
        f"{_or_leave_out(remarks)}"
    )


def _or_leave_out(added: Iterable[tuple[PluginInfo, object]]) -> str:
    handles = dict.fromkeys(info.handle for info, _ in added)
    return ", or leave a plugin out with " + " or ".join(f"OPBOOK_DISABLE={handle}" for handle in handles)


def _and(texts: Iterable[str]) -> str:
    return " and ".join(texts)

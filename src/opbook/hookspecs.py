"""The hooks that a plugin may implement.

A plugin is a module (usually a package that an entry point of the group `opbook` names) with functions that are named
after these and marked with [`hookimpl`][opbook.hookspecs.hookimpl].
"""

from collections.abc import Iterable

import pluggy

from opbook.builtin import Builtin

PROJECT = "opbook"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin as the implementation of the hook that it is named after."""


@hookspec
def opbook_builtins() -> Iterable[Builtin]:
    """Return the builtins that the plugin adds to the catalogue."""
    raise NotImplementedError

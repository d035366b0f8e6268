"""The hooks that a plugin may implement.

A plugin is a module (usually a package that an entry point of the group `opbook` names) with functions that are named
after these and marked with [`hookimpl`][opbook.hookspecs.hookimpl].
"""

from collections.abc import Iterable

import pluggy

from opbook.builtin import Builtin
from opbook.rules import Rule

PROJECT = "opbook"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin as the implementation of the hook that it is named after."""


@hookspec
def opbook_builtins() -> Iterable[Builtin]:
    """Return the builtins that the plugin adds to the catalogue."""
    raise NotImplementedError


@hookspec
def opbook_rules() -> Iterable[Rule]:
    """Return other rules for builtins that the catalogue has, from this plugin or from another one.

    Such a rule is asked before the builtin's own, and is verified against the same definition. A builtin that uses
    this one inside its own rule gets the faster one as well.
    """
    raise NotImplementedError

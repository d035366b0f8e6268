"""The hooks that a plugin may implement.

A plugin is a module (usually a package that an entry point of the group `opbook` names) with functions that are named
after these and marked with [`hookimpl`][opbook.plugins.hookspecs.hookimpl].
"""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

from opbook.builtins.builtin import Builtin
from opbook.builtins.property import Property
from opbook.builtins.rule import Rule
from opbook.plugins.contributions import Family, Section

if TYPE_CHECKING:
    import click

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

    Such a rule is tried before the builtin's own, and is verified against the same definition. A builtin that uses
    this one inside its own rule gets the faster one as well.
    """
    raise NotImplementedError


@hookspec
def opbook_properties() -> Iterable[Property]:
    """Return properties of builtins, from this plugin or from another one, that `opbook verify` is to check.

    Each is a check with a name and a sentence, run on the inputs that the builtin is verified with anyway, and shown on
    the builtin's page.
    """
    raise NotImplementedError


@hookspec
def opbook_guides() -> Iterable[str | os.PathLike[str]]:
    """Return guides that the plugin brings along: Markdown files, as seen from the folder of the plugin's module.

    A site shows each as a page of its own, and its examples on the pages of the builtins that they call, as it does
    with its own guides. The title is the first heading, or that of the front matter.
    """
    raise NotImplementedError


@hookspec
def opbook_families() -> Iterable[Family]:
    """Return what the pages of categories say beside their tables: what the builtins have in common, and which to take.

    A category whose builtins come from several plugins has it from one of them.
    """
    raise NotImplementedError


@hookspec
def opbook_sections() -> Iterable[Section]:
    """Return sections for the pages of builtins, from this plugin or from another one.

    They stand before the source, in `opbook show` too, and say which plugin they are from.
    """
    raise NotImplementedError


@hookspec
def opbook_commands() -> "Iterable[click.Command]":
    """Return commands for the command line, as click makes them: `opbook NAME`.

    It is called on the command line only, so click is there: import it inside the hook.
    """
    raise NotImplementedError

"""`opbook doctor`: what is wrong with an installation, and how to mend it."""

import platform
import sys
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

import opbook
from opbook.builtins.rule import OWN
from opbook.cli.errors import CHECK_FAILED
from opbook.cli.options import add_plugins, json_option, load_catalogue, plugin_option
from opbook.cli.output import print_json, print_line
from opbook.cli.plugin_commands import added_commands, own_commands
from opbook.errors import PluginError, SettingsError, nearest
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.distributions import broken, metadata_called

if TYPE_CHECKING:
    from packaging.requirements import Requirement

DISTRIBUTION = "opbook"
USERS_EXTRAS = ("cli", "site", "test")
"""Extras that a user may want; a missing one is no fault."""

_MARKS = {"fine": ("ok   ", ""), "note": ("note ", "cyan"), "wrong": ("WRONG", "bold red")}


@dataclass(frozen=True)
class Finding:
    """Something that was looked at.

    Attributes:
        status: `fine`, `note` or `wrong`.
        about: What it is about, in a word.
        message: What was found, and what to do if it is wrong.
    """

    status: str
    about: str
    message: str


@click.command()
@plugin_option
@json_option
@click.pass_context
def doctor(context: click.Context, plugin_files: tuple[str, ...], as_json: bool) -> None:
    """Look for what is wrong with the installation, the settings and the plugins, and say how to mend it.

    The exit code is 1 if something is wrong. Notes are no faults.

    \b
    Examples:
        opbook doctor
        opbook doctor --plugin my_ops.py
        opbook doctor --json
    """
    findings = [*_versions(), *_extras()]
    try:
        add_plugins(plugin_files)
        catalogue = load_catalogue(samples=True)
    except SettingsError as error:
        findings.append(Finding("wrong", "settings", str(error)))
    except PluginError as error:  # with OPBOOK_STRICT=1
        findings.append(Finding("wrong", "plugins", str(error)))
    else:
        findings += [*_settings(catalogue), *_plugins(catalogue), *_builtins(catalogue)]
        findings += _commands(catalogue, own_commands(context))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        _print(findings)
    if any(finding.status == "wrong" for finding in findings):
        context.exit(CHECK_FAILED)


def _print(findings: list[Finding]) -> None:
    for finding in findings:
        mark, style = _MARKS[finding.status]
        print_line(f"{mark}  {finding.about}: {' '.join(finding.message.split())}", style)
    wrong = sum(finding.status == "wrong" for finding in findings)
    print_line()
    print_line(f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong." if wrong else "Nothing is wrong.")


def _versions() -> Iterator[Finding]:
    yield Finding("fine", "opbook", f"{opbook.__version__}, Python {platform.python_version()} at {sys.executable}")
    for requirement in _requirements(""):
        version = _installed(requirement)
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            came = "it is not installed" if version is None else f"{version} is installed"
            yield Finding("wrong", requirement.name, f"{came}; install it with: pip install '{_text(requirement)}'")
        else:
            yield Finding("fine", requirement.name, version)


def _extras() -> Iterator[Finding]:
    for extra in USERS_EXTRAS:
        lacking = [
            requirement
            for requirement in _requirements(extra)
            if (version := _installed(requirement)) is None
            or not requirement.specifier.contains(version, prereleases=True)
        ]
        if lacking:
            names = ", ".join(map(_text, lacking))
            yield Finding("note", f"extra {extra}", f"lacks {names}; if you want it: pip install 'opbook[{extra}]'")
        else:
            yield Finding("fine", f"extra {extra}", "all of it is installed")


def _requirements(extra: str) -> "Iterator[Requirement]":
    """What opbook needs, or what an extra adds to that; opbook's own extras are left to themselves."""
    from packaging.requirements import Requirement

    metadata = metadata_called(DISTRIBUTION)
    for line in (metadata.get_all("Requires-Dist") if metadata else None) or []:
        requirement = Requirement(line)
        always = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if requirement.name != DISTRIBUTION and (
            always if not extra else not always and requirement.marker and requirement.marker.evaluate({"extra": extra})
        ):
            yield requirement


def _text(requirement: "Requirement") -> str:
    return f"{requirement.name}{requirement.specifier}"


def _installed(requirement: "Requirement") -> str | None:
    metadata = metadata_called(requirement.name)
    return str(metadata["Version"]) if metadata else None


def _settings(catalogue: Catalogue) -> Iterator[Finding]:
    settings = catalogue.settings
    where = (
        str(settings.file) if settings.file else "none; [tool.opbook] of a pyproject.toml here or above would be read"
    )
    yield Finding("fine", "settings", where)
    names = {name for info in catalogue.plugins for name in info.source.names}
    for name in sorted(settings.disable | settings.disable_now):
        if any(info.source.is_called(name) for info in catalogue.plugins):
            continue
        yield Finding("note", "settings", f"{name} is disabled, but there is no such plugin.{nearest(name, names)}")


def _plugins(catalogue: Catalogue) -> Iterator[Finding]:
    for info in catalogue.plugins:
        if info.state == "failed":
            yield Finding("wrong", f"plugin {info.source.name}", info.error)
        elif info.state == "disabled":
            yield Finding("note", f"plugin {info.source.name}", "it is disabled")
    told = " ".join(info.error for info in catalogue.plugins)
    for message in broken():
        if message not in told:
            yield Finding("note", "distribution", f"{message}. Delete it, or install it again")
    loaded = sum(info.state == "loaded" for info in catalogue.plugins)
    if loaded:
        yield Finding("fine", "plugins", f"{loaded} loaded")
    else:
        yield Finding(
            "wrong", "plugins", "none is loaded, so there are no builtins; install some, or pass --plugin FILE"
        )


def _commands(catalogue: Catalogue, taken: Collection[str]) -> Iterator[Finding]:
    commands, problems = added_commands(catalogue, taken)
    for problem in problems:
        yield Finding("wrong", "commands", problem)
    if commands:
        yield Finding("fine", "commands", f"plugins add {', '.join(sorted(commands))}")


def _builtins(catalogue: Catalogue) -> Iterator[Finding]:
    for conflict in catalogue.conflicts():
        yield Finding("wrong", "builtins", conflict)
    for name, op in catalogue.items():
        mine = catalogue.plugin_of(name)
        for other in catalogue.replaced(name):
            why = "the settings say so" if name in catalogue.settings.override else f"{mine.handle} says so"
            yield Finding("note", f"builtin {name}", f"{mine.source} replaces that of {other.source}: {why}")
        if op.asked[0] != OWN:
            yield Finding("note", f"builtin {name}", f"its rule {op.asked[0]} is tried before its own")

"""All that is public is documented: functions with every argument, hooks, commands, settings with their signatures."""

import importlib
import inspect
import pkgutil
import re
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from public_api import members

import opbook
from opbook.builtins import docstring as docstrings
from opbook.plugins import hookspecs
from opbook.plugins.configuration import SETTINGS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
API = DOCS / "reference" / "api"

# Rules are named after the NumPy function that they differentiate, and what they take is what it takes.
RULES = "opbook.autodiff.derivatives."
# What it says is printed by --help, where a section of arguments would be in the way.
COMMANDS = "opbook.cli."
# The parser calls these with what it found, by the names of the rules of its grammar.
CALLBACKS = "opbook.notation.builder.Builder."
# A method that does what the NumPy function of its name does says so and no more.
AS_IN_NUMPY = re.compile(r"`np\.\w+`")


def modules() -> list[str]:
    found = pkgutil.walk_packages(opbook.__path__, "opbook.")
    return sorted(m.name for m in found if not any(part.startswith("_") for part in m.name.split(".")))


def public(name: str) -> Iterator[tuple[str, Any]]:
    """The functions and classes that a module defines, and the methods of those classes."""
    module = importlib.import_module(name)
    for key, thing in vars(module).items():
        if key.startswith("_") or getattr(thing, "__module__", None) != name:
            continue
        if inspect.isfunction(thing):
            yield f"{name}.{key}", thing
        elif inspect.isclass(thing):
            yield f"{name}.{key}", thing
            for inner, method in vars(thing).items():
                if any(inner in vars(base) for base in thing.__mro__[1:]):
                    continue  # it is documented where it is declared first
                if inspect.isfunction(method) and not inner.startswith("_"):
                    yield f"{name}.{key}.{inner}", method
                elif isinstance(method, classmethod | staticmethod) and not inner.startswith("_"):
                    yield f"{name}.{key}.{inner}", method.__func__
                elif isinstance(method, property):
                    yield f"{name}.{key}.{inner}", method


def faults(name: str, thing: Any) -> Iterator[str]:
    doc = docstrings.parse(inspect.getdoc(thing) if inspect.isfunction(thing) else thing.__doc__)
    if not doc.summary:
        yield "has no docstring"
    if not inspect.isfunction(thing) or name.startswith(CALLBACKS) or AS_IN_NUMPY.match(doc.summary):
        return
    parameters = [p for p in inspect.signature(thing).parameters if p not in ("self", "cls")]
    missing = [p for p in parameters if p not in doc.arguments and not p.startswith("_")]
    if missing:
        yield f"says nothing of {', '.join(missing)} under Args"
    # what takes nothing is described by what it gives: its summary is enough
    returned = inspect.signature(thing).return_annotation
    nothing = returned in (None, "None", inspect.Signature.empty, typing.NoReturn)
    if parameters and not nothing and not {"Returns", "Yields"} & set(doc.sections):
        yield "does not say what it returns"
    unknown = set(doc.arguments) - set(parameters)
    if unknown:
        yield f"speaks of {', '.join(unknown)}, which it does not take"


@pytest.mark.parametrize("module", [name for name in modules() if not name.startswith((RULES, COMMANDS))])
def test_what_is_public_says_what_it_takes(module: str) -> None:
    found = [f"{name} {fault}" for name, thing in public(module) for fault in faults(name, thing)]
    assert not found, "\n".join(found)


def api_things() -> Iterator[Any]:
    """The same as objects; of a module that is shown whole, all that it defines."""
    for member in members():
        if member in modules():
            yield from vars(importlib.import_module(member)).values()
        else:
            module, _, name = member.rpartition(".")
            yield getattr(importlib.import_module(module), name)


def of_packages() -> Iterator[str]:
    for package in ("opbook", "opbook.notation", "opbook.examples", "opbook.figures", "opbook.pages", "opbook.testing"):
        for name in importlib.import_module(package).__all__:
            yield f"{package}.{name}"


@pytest.mark.parametrize("name", list(of_packages()))
def test_what_packages_offer_has_its_place_in_the_api(name: str) -> None:
    package, _, short = name.rpartition(".")
    thing = getattr(importlib.import_module(package), short)
    assert any(thing is found for found in api_things()), f"{name} is on no page of docs/reference/api"


def test_the_api_has_nothing_that_is_not_there() -> None:
    for member in members():
        module, _, name = member.rpartition(".")
        assert member in modules() or hasattr(importlib.import_module(module), name), member


def test_every_hook_is_documented_with_its_signature() -> None:
    text = (DOCS / "reference" / "hooks.md").read_text(encoding="utf-8")
    assert "::: opbook.plugins.hookspecs" in text  # which shows all that the module defines, with signatures
    for name, hook in vars(hookspecs).items():
        if name.startswith("opbook_"):
            assert inspect.getdoc(hook), f"{name} has no docstring"
            assert "return" in hook.__annotations__, f"{name} does not say what it returns"


def test_every_setting_and_variable_is_documented() -> None:
    text = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert sorted(sections) == sorted(SETTINGS)
    for name, setting in SETTINGS.items():
        written = re.search(r"```toml\n(.*?)```", sections[name], re.DOTALL)
        assert written, name
        assert setting.holds(tomllib.loads(written[1])["tool"]["opbook"][name]), name
    used = {
        variable
        for path in (ROOT / "src").rglob("*.py")
        for variable in re.findall(r"\bOPBOOK_[A-Z]+\b", path.read_text(encoding="utf-8"))
    }
    assert used == set(re.findall(r"^\| `(OPBOOK_\w+)` \|", text, re.MULTILINE))


def settings() -> list[tuple[str, Any]]:
    pytest.importorskip("mkdocs", reason="the plugin needs the extra opbook[site]")
    from opbook.mkdocs.plugin import OpbookConfig

    return [(name, option.default) for name, option in OpbookConfig._schema]


def test_every_setting_of_the_site_is_documented_with_its_default() -> None:
    yaml = pytest.importorskip("yaml")
    text = (DOCS / "reference" / "site.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert sorted(sections) == sorted(name for name, _ in settings())
    for name, default in settings():
        written = re.search(r"```yaml\n(.*?)```", sections[name], re.DOTALL)
        assert written, name
        assert yaml.safe_load(written[1]) == {name: default}

"""All that is public is documented: functions with every argument, hooks, commands, settings with their signatures."""

import contextlib
import importlib
import importlib.resources
import inspect
import re
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opbook.builtins import docstring as docstrings
from opbook.plugins import hookspecs
from opbook.plugins.settings import KEYS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
API = DOCS / "reference" / "api"


def shown() -> dict[str, Any]:
    """What the pages of the API and of the hooks ask mkdocstrings for, by name: this is what is public."""
    found = {"opbook.hookimpl": hookspecs.hookimpl}  # on the page of the hooks, which shows all of their module
    for page in (*API.glob("*.md"), API.parent / "hooks.md"):
        for block in re.split(r"^::: ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            identifier = block.split()[0]
            thing = resolve(identifier)
            members = re.search(r"members: \[(.*)\]", block)
            if members:
                found |= {f"{identifier}.{name}": getattr(thing, name) for name in members[1].split(", ")}
            elif inspect.ismodule(thing) and "members: false" not in block:
                found |= {f"{identifier}.{name}": one for name, one in vars(thing).items() if is_own(thing, name)}
            if not inspect.ismodule(thing):
                found[identifier] = thing
    return found


def resolve(identifier: str) -> Any:
    """The object that a dotted name stands for; AttributeError if a page shows what is not there."""
    with contextlib.suppress(ImportError):
        return importlib.import_module(identifier)
    module, _, name = identifier.rpartition(".")
    return getattr(resolve(module), name)


def is_own(module: Any, name: str) -> bool:
    return not name.startswith("_") and getattr(vars(module)[name], "__module__", None) == module.__name__


def methods(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """A public thing, and what can be called on it."""
    yield name, thing
    for key, method in vars(thing).items() if inspect.isclass(thing) else ():
        if inspect.isfunction(method) and not key.startswith("_"):
            yield f"{name}.{key}", method


def faults(name: str, thing: Any) -> Iterator[str]:
    doc = docstrings.parse(inspect.getdoc(thing))
    if not doc.summary:
        yield "has no docstring"
    if not inspect.isfunction(thing) or name.startswith("opbook.plugins.hookspecs."):
        return
    parameters = [p for p in inspect.signature(thing).parameters if p not in ("self", "cls")]
    missing = [p for p in parameters if p not in doc.arguments and not p.startswith("_")]
    if missing:
        yield f"says nothing of {', '.join(missing)} under Args"
    returned = inspect.signature(thing).return_annotation
    nothing = returned in (None, "None", inspect.Signature.empty, typing.NoReturn)
    if parameters and not nothing and not {"Returns", "Yields"} & set(doc.sections):
        yield "does not say what it returns"
    unknown = set(doc.arguments) - set(parameters)
    if unknown:
        yield f"speaks of {', '.join(unknown)}, which it does not take"


@pytest.mark.parametrize("name", sorted(shown()))
def test_what_is_public_says_what_it_takes(name: str) -> None:
    found = [f"{one} {fault}" for one, thing in methods(name, shown()[name]) for fault in faults(one, thing)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("package", ["opbook", "opbook.notation", "opbook.figures", "opbook.testing"])
def test_what_packages_offer_has_its_place_in_the_api(package: str) -> None:
    public = list(shown().values())
    module = importlib.import_module(package)
    modules = {thing.__module__ for thing in public if hasattr(thing, "__module__")}  # `opbook.tree` is one
    missing = [
        name
        for name in module.__all__
        if getattr(getattr(module, name), "__name__", None) not in modules
        and not any(getattr(module, name) is thing for thing in public)
    ]
    assert not missing, f"on no page of docs/reference/api: {', '.join(missing)}"


def test_types_are_shipped() -> None:
    assert (importlib.resources.files("opbook") / "py.typed").is_file()


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
    assert sorted(sections) == sorted(KEYS)
    for name, setting in KEYS.items():
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
    from opbook.mkdocs.options import OpbookConfig

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

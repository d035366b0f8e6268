"""What plugins contribute: a class for each kind of thing, and the table of the hooks that return them.

A new kind is a class (here, or in `builtins`) with a row in the table, and a hook in `hookspecs`. Loading, choosing and
listing go by the table.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from opbook.builtins.builtin import Builtin
from opbook.builtins.property import Property
from opbook.builtins.rule import Rule
from opbook.builtins.supplement import Supplement
from opbook.errors import DeclarationError
from opbook.plugins.discovery import PluginInfo

if TYPE_CHECKING:
    import click

T = TypeVar("T")


@dataclass(frozen=True)
class Contribution(Generic[T]):
    """A thing with the plugin that it comes from.

    Attributes:
        plugin: The plugin.
        thing: A builtin, or something of another kind.
    """

    plugin: PluginInfo
    thing: T


@dataclass(frozen=True)
class Section(Supplement):
    """A section of a builtin's page, before its source.

    A plugin returns it from the hook `opbook_sections`.

    Attributes:
        builtin: The builtin's name.
        title: The heading, on one line; no other section that is added to this builtin has it.
        text: What stands below it, as Markdown. Headings in it are put below the title. It has no examples: what is run
            stands in a plugin's `examples.md` or in a guide.
    """

    builtin: str
    title: str
    text: str

    def __post_init__(self) -> None:
        if not all(isinstance(text, str) and text.strip() for text in (self.builtin, self.title, self.text)):
            raise DeclarationError(f"{self}: builtin, title and text of a section must be texts, and not empty")
        if len(self.title.splitlines()) > 1:
            raise DeclarationError(f"{self.builtin}: {self.title!r} is no title: it must be a single line")

    @property
    def key(self) -> tuple[str, str]:
        """The builtin and the title, however it is written."""
        return self.builtin, self.title.strip().lower()

    def __str__(self) -> str:
        return f"{self.builtin}: {self.title}"


class PageFile(Supplement):
    """A Markdown file that a plugin brings along."""

    path: Path

    def misfit(self, op: Any) -> str:
        """Say why it can't be shown."""
        if self.path.suffix != ".md":
            return "it is not Markdown: the file's name ends in .md."
        if not self.path.is_file():
            return "it is not there; paths are as seen from the folder of the plugin's module."
        return ""

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class GuideFile(PageFile):
    """A Markdown file that a site shows as a page of its own.

    A plugin returns its path from the hook `opbook_guides`.
    """

    path: Path
    builtin: str = field(default="", init=False)

    @property
    def key(self) -> str:
        """The name of the file, which becomes its address."""
        return self.path.stem.lower()

    def misfit(self, op: Any) -> str:
        """Say why it can't be shown."""
        if self.key in ("index", "readme"):
            return "it would take the place of an index: give it another name, which becomes its address."
        return super().misfit(op)


@dataclass(frozen=True)
class Family(PageFile):
    """What the page of a category says beside its table of builtins.

    A plugin returns it from the hook `opbook_families`; a category has at most one.

    Attributes:
        category: The category of the builtins, such as `"Normalization"`.
        path: A Markdown file, as seen from the folder of the plugin's module. What stands before its first heading
            opens the page, the rest stands below the table, and its examples are run. A paragraph of a builtin's name
            in backticks, with `:   ` and what sets it apart on the next line, goes into the table.
    """

    category: str
    path: Path
    builtin: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.category, str) or not self.category.strip():
            raise DeclarationError(f"the category of a family must be a text, and not empty, but is {self.category!r}")
        object.__setattr__(self, "path", Path(self.path))

    @property
    def key(self) -> str:
        """The category."""
        return self.category


@dataclass(frozen=True)
class CommandHook(Supplement):
    """A plugin's hook `opbook_commands`, which is called on the command line only, where click is there."""

    make: Callable[[], Any]
    builtin: str = field(default="", init=False)

    @property
    def key(self) -> int:
        """Itself: what it makes is looked at when it has been called."""
        return id(self.make)

    def commands(self) -> "list[click.Command]":
        """Make the commands."""
        import click

        made = result_of("opbook_commands", self.make)
        return [checked("opbook_commands", one, click.Command) for one in made]

    def __str__(self) -> str:
        return "opbook_commands"


@dataclass(frozen=True)
class HookResult:
    """What a hook returns a list of: a kind of thing that plugins contribute.

    Attributes:
        type: Its class.
        noun: What one is called.
        nouns: What several are called.
        example: How an author writes one.
    """

    type: type[Any]
    noun: str
    nouns: str
    example: str


KINDS = {
    "opbook_builtins": HookResult(Builtin, "builtin", "builtins", "@builtin(category=...) above a function"),
    "opbook_rules": HookResult(Rule, "rule", "rules", "Rule(builtin=..., name=..., function=...)"),
    "opbook_properties": HookResult(
        Property, "property", "properties", "Property(builtin=..., name=..., sentence=..., sides=...)"
    ),
    "opbook_guides": HookResult(
        GuideFile, "guide", "guides", '"heads.md", as seen from the folder of the plugin\'s module'
    ),
    "opbook_sections": HookResult(Section, "section", "sections", "Section(builtin=..., title=..., text=...)"),
    "opbook_families": HookResult(Family, "family", "families", 'Family("Normalization", "family.md")'),
    "opbook_commands": HookResult(CommandHook, "command", "commands", "@click.command() above a function"),
}
"""The kinds, by the hook that returns them."""


def contributed(hook: str, function: Callable[[], Any], folder: Path) -> list[Any]:
    """Ask a plugin's implementation of a hook for what it contributes.

    Raises:
        BaseException: Whatever it raises, or an error about what it returns.
    """
    kind = KINDS[hook].type
    if kind is CommandHook:
        return [CommandHook(function)]
    found = result_of(hook, function)
    if kind is GuideFile:
        found = [GuideFile(Path(one)) if isinstance(one, str | os.PathLike) else one for one in found]
    found = [checked(hook, one, kind) for one in found]
    if issubclass(kind, PageFile):  # not resolved: a link's own name is its address
        return [replace(one, path=Path(os.path.abspath(folder / one.path))) for one in found]
    return found


def result_of(hook: str, function: Callable[[], Any]) -> list[Any]:
    """What a hook returns, at once if it is a generator; an error says which hook it comes from."""
    try:
        result = function()
        if isinstance(result, str) or not isinstance(result, Iterable):
            raise TypeError(f"{hook}() must return a list of {KINDS[hook].nouns}, but returned {type(result).__name__}")
        return list(result)
    except BaseException as error:
        error.add_note(f"raised in {hook}()")
        raise


def checked(hook: str, thing: Any, kind: type[T]) -> T:
    """Refuse what is of another class than a hook's things are."""
    if isinstance(thing, kind):
        return thing
    if isinstance(thing, type):
        raise TypeError(f"{hook}() returned {thing!r}, which is a class, where an instance is expected")
    raise TypeError(f"{hook}() returned {thing!r}, which is no {KINDS[hook].noun}; write {KINDS[hook].example}")

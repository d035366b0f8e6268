"""Sections that a plugin adds to the pages of builtins, its own or other plugins'."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
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

    def __str__(self) -> str:
        return f"{self.builtin}: {self.title}"

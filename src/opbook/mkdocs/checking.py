"""The pages of a build as they are published, held against what was checked when they were made."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils.meta import get_data

from opbook.examples import PageError
from opbook.examples.example import place
from opbook.mkdocs.final import strange_outputs
from opbook.pages.published import plain, unseen

_MARKS = {
    "include-markdown": {"opening_tag": "{%"},
    "macros": {"j2_variable_start_string": "{{", "j2_block_start_string": "{%"},
}
"""Plugins that put text into pages: the options that say what marks it, and the usual marks."""


_NOTE = " (as put together)"
"""What stands behind the name of a page whose lines are not those of its file."""


@dataclass(frozen=True)
class Known:
    """A page as it is known before it is put together.

    Attributes:
        name: How messages name it.
        file: The text of its file, or ""; with front matter.
        checked: Its text as its examples were run, likewise.
    """

    name: str
    file: str
    checked: str


class FinalCheck:
    """Takes each page's text in the last moment, and keeps what has not been checked.

    Attributes:
        put_in: What marks the examples that were left until now.
        failures: What is wrong with pages, as far as no example has to be run to know it.
        pages: The texts of pages that have new examples, with those that were checked, by their names.
    """

    def __init__(self) -> None:
        self.put_in: tuple[str, ...] = ()
        self.failures: list[str] = []
        self.pages: dict[str, tuple[str, str]] = {}
        self._next: Known | None = None
        self._last: tuple[Known, str] | None = None

    def taker(self) -> Callable[[str], None]:
        """A function that takes the text of the page that was announced; other texts, as of docstrings, are let by."""

        def take(text: str) -> None:
            page, self._next = self._next, None
            if page:
                self._take(page, text)

        return take

    def announce(self, page: Known) -> None:
        """Say which page Markdown is about to convert.

        Args:
            page: The page.
        """
        self._next, self._last = page, None

    def _take(self, page: Known, text: str) -> None:
        self._last = page, text
        if _same(text, page.checked):
            return
        name = page.name
        if _same(text, page.file):
            text = page.file  # with its front matter: then lines are those of the file
        elif page.file:
            name += _NOTE
        try:
            if unseen(name, text, page.checked, self.put_in):
                self.pages[name] = text, page.checked
        except PageError as error:
            self.failures.append(str(error))

    def finished(self, content: str) -> None:
        """Look at the HTML of the page whose text was taken last.

        Args:
            content: The HTML.
        """
        if self._last is None:
            return
        (page, text), self._last = self._last, None
        strange = strange_outputs(content, text)
        if strange:
            begin = strange[0].partition("\n")[0]
            shown = place(Path(page.name), 1).rpartition(":")[0]
            self.failures.append(
                f"{shown}: {len(strange)} of its output blocks {'is' if len(strange) == 1 else 'are'} in no "
                f"Markdown that opbook has seen; the first begins with {begin!r}. A plugin, a hook or the page's own "
                "HTML has made it, and nothing has computed it: write it as a fence, behind its example."
            )


def _same(text: str, source: str) -> bool:
    return plain(text) == plain(get_data(source)[0])


def put_in(config: MkDocsConfig) -> tuple[str, ...]:
    """What in an example says that one of the site's plugins puts other text there.

    Args:
        config: The site's configuration.

    Returns:
        The marks, beside those of snippets.
    """
    return tuple(
        config.plugins[name].config.get(option) or usual
        for name, options in _MARKS.items()
        if name in config.plugins
        for option, usual in options.items()
    )

"""Examples of pages as a site generator has put them together: those that their files did not have are run as well.

Snippets, included files, macros, hooks and generated pages bring fences along that nobody has run when the pages were
made from their files.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from opbook.examples import Example, PageError, Runner, calls, disagreement, find
from opbook.examples.lines import TAB
from opbook.pages.examples import calling, is_put_together
from opbook.pages.selection import select
from opbook.pages.site import Site, guarded, load_with
from opbook.pages.site_options import SiteOptions


def plain(text: str) -> str:
    """A text without what a Markdown renderer changes before it looks for fences: tabs, and blanks at ends of lines."""
    return "\n".join(line.rstrip() for line in text.expandtabs(TAB).split("\n")).strip()


def unseen(page: str, text: str, known: str, put_in: Sequence[str] = ()) -> list[Example]:
    """Find the examples of a page that its file does not have.

    Args:
        page: How messages name the page: its file, or what says that its lines are others.
        text: The page as it is published.
        known: The page whose examples have been run.
        put_in: What marks examples of `known` that were left out.

    Returns:
        The examples of `text` that differ from all in `known` in code, output or directives, or in what they continue.

    Raises:
        PageError: `text` has a fence that is none.
    """
    ran = {_key(example) for example in _found(known) if not is_put_together(example, put_in)}
    return [example for example in find(Path(page), text) if _key(example) not in ran]


def check(options: SiteOptions, pages: Mapping[str, tuple[str, str]]) -> Site:
    """Run the examples of pages that their files do not have.

    Args:
        options: The site's options.
        pages: How messages name a page; for each, how it is published and how it was checked.

    Returns:
        A site without pages; its failures say what is wrong.
    """
    return guarded(lambda: Site(failures=list(_failures(options, pages))))


def _failures(options: SiteOptions, pages: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    catalogue = load_with([str(Path(file).resolve()) for file in options.plugins])
    runner = Runner(catalogue)
    shown = frozenset(select(catalogue, options.only)) if options.only else None
    for page, (text, known) in pages.items():
        examples = unseen(page, text, known, options.put_in or ())
        if shown is not None:
            uses = {example: frozenset(calls(example, catalogue)) for example in examples}
            examples = calling(examples, uses, shown)
        for example in examples:
            if example.why_not_run is None:
                yield from _failure(example, runner)


def _failure(example: Example, runner: Runner) -> Iterator[str]:
    try:
        printed = runner.run(example)
    except PageError as error:
        yield str(error)
        return
    difference = disagreement(example.output or "", printed)
    if difference and example.output is None:
        difference = "no output fence shows what it printed.\n" + difference.partition("\n")[2]
    if difference:
        begin = example.code.strip().partition("\n")[0]
        yield (
            f"{example.place}: {difference}\nThe example begins with {begin!r}. Where it does not stand so in the "
            "page's own file, a snippet, a macro, an included file or a hook has put it there."
        )


def _found(text: str) -> list[Example]:
    try:
        return find(Path("page.md"), text)
    except PageError:  # then nothing of it is known to be right
        return []


def _key(example: Example) -> tuple[object, ...]:
    """What makes an example the same one, wherever it stands."""
    output = None if example.output is None else plain(example.output)
    codes = tuple((link.language, plain(link.code)) for link in example.chain)
    return codes, output, example.skip, example.needs, example.raises

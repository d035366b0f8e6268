"""Finds the examples of a book, runs them, and sorts them by the builtins that they call."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from opbook.examples import Example, PageError, Result, Runner, calls, complexity, find, run_example
from opbook.examples.collection import EXAMPLES_PAGE, read
from opbook.figures import Figure
from opbook.pages.model import Drawn, Failure, Guide, ShownExample
from opbook.pages.processes import spread
from opbook.plugins.catalogue import Catalogue

OWN = 8
"""How many examples of its plugin's own page a builtin's page shows at most."""

MANY = 16
"""From so many pages on, it is worth while to start processes that run their examples."""

GUIDES = 4
"""How many examples of guides it shows at most, one of each guide."""

_BORDER = re.compile(r"\s*(?:#{1,6}\s|`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Ran:
    """An example that this build ran.

    Attributes:
        result: What became of it.
        example: The example.
        uses: The builtins that it calls.
        weight: How much there is to take in.
        guide: The guide that it comes from; None where it comes from a plugin's page.
        text: The paragraphs above it.
    """

    result: Result
    example: Example
    uses: frozenset[str]
    weight: tuple[int, ...]
    guide: Guide | None
    text: str


@dataclass
class Gathered:
    """The examples of a book.

    Attributes:
        own: Those of plugins' pages, by the page.
        guides: Those of guides.
        outputs: What each of them printed.
        figures: What each of them drew.
        failures: Those that failed, and pages that could not be read.
        files: The plugins' pages.
    """

    own: dict[Path, list[Ran]] = field(default_factory=dict)
    guides: list[Ran] = field(default_factory=list)
    outputs: dict[Example, str] = field(default_factory=dict)
    figures: dict[Example, tuple[Figure, ...]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def of(self, name: str, page: Path) -> tuple[list[ShownExample], list[Guide]]:
        """Choose the examples of one builtin.

        Args:
            name: The builtin.
            page: Its plugin's page of examples.

        Returns:
            The examples to show, simplest first, and the guides that have more of them.
        """
        own = _simplest(name, self.own.get(page, []))[:OWN]
        taught = _simplest(name, self.guides)
        guides = _one_of_each_guide(taught)[:GUIDES]
        shown = sorted([*own, *guides], key=lambda ran: (ran.weight, ran.guide is not None))
        seen = {ran.guide.uri for ran in guides if ran.guide}
        elsewhere = {ran.guide.uri: ran.guide for ran in taught if ran.guide and ran.guide.uri not in seen}
        return [_shown(ran, self) for ran in shown], [elsewhere[uri] for uri in sorted(elsewhere)]

    def drawn(self) -> list[Drawn]:
        """The figures of the guides, with where they go."""
        return [
            Drawn(ran.guide, (ran.example.output_span or (0, ran.example.end))[1], ran.result.figures)
            for ran in self.guides
            if ran.guide and ran.result.figures
        ]


def page_of(module_file: str) -> Path:
    """Say where a plugin's own examples stand.

    Args:
        module_file: The file of the plugin's module.

    Returns:
        The page beside it, whether it exists or not.
    """
    return Path(module_file).parent / EXAMPLES_PAGE


def gather(catalogue: Catalogue, guides: Iterable[Guide], only: Collection[str] | None = None) -> Gathered:
    """Find and run examples.

    Args:
        catalogue: The builtins.
        guides: The guides.
        only: Some builtins; then only the examples that call one of them are run, and of plugins only theirs are
            looked at.

    Returns:
        The examples, those that failed among the failures.
    """
    gathered = Gathered()
    runner = Runner(catalogue)
    names = frozenset(catalogue)
    plugins = catalogue.plugins if only is None else [catalogue.plugin_of(name) for name in only]
    for info in plugins:
        page = page_of(info.path)
        if info.path and info.state == "loaded" and page not in gathered.files and page.is_file():
            gathered.files.append(page)
    sources = [*((page, None) for page in gathered.files), *((guide.path, guide) for guide in guides)]
    found = spread(lambda source: _run(*source, names, runner, only), sources, MANY)
    for (page, guide), (ran, failures) in zip(sources, found, strict=True):
        gathered.failures += failures
        gathered.outputs |= {each.example: each.result.printed or "" for each in ran}
        gathered.figures |= {each.example: each.result.figures for each in ran}
        if guide is None:
            gathered.own[page] = ran
        else:
            gathered.guides += ran
    return gathered


def _run(
    page: Path,
    guide: Guide | None,
    names: frozenset[str],
    runner: Runner,
    only: Collection[str] | None,
) -> tuple[list[Ran], list[Failure]]:
    try:
        lines = read(page).splitlines()
        examples = find(page)
    except PageError as error:
        return [], [Failure(page, error.line, str(error))]
    uses = {example: frozenset(calls(example, names)) for example in examples}
    if only is not None:  # with what they continue, whose output is shown with theirs
        wanted = {link for example in examples if uses[example].intersection(only) for link in example.chain}
        examples = [example for example in examples if example in wanted]
    ran: list[Ran] = []
    failures: list[Failure] = []
    for example in examples:
        result = run_example(example, runner)
        if result.status == "failed":
            failures.append(Failure(page, result.line, result.message))
        text = "" if guide else _text_above(lines, example.line)
        ran.append(Ran(result, example, uses[example], _weight(example, names), guide, text))
    return ran, failures


def _weight(example: Example, names: frozenset[str]) -> tuple[bool, int, int]:
    """The order of a page: mistakes behind everything else, then by builtins and lines taken together."""
    builtins, lines, characters = complexity(example, names)
    return example.raises, builtins + lines, characters


def _text_above(lines: Sequence[str], line: int) -> str:
    """The paragraphs between an example and the heading or fence above it, without comments."""
    start = line - 1
    while start > 0 and not _BORDER.match(lines[start - 1]):
        start -= 1
    return _COMMENT.sub("", "\n".join(lines[start : line - 1])).strip()


def _simplest(name: str, ran: Iterable[Ran]) -> list[Ran]:
    """Those that call a builtin, simplest first; of those that continue one another, the first."""
    calling = [each for each in ran if name in each.uses]
    examples = {each.example for each in calling}
    first = [each for each in calling if not examples.intersection(each.example.chain[:-1])]
    return sorted(first, key=lambda each: each.weight)


def _one_of_each_guide(ran: Iterable[Ran]) -> list[Ran]:
    chosen: dict[str, Ran] = {}
    for each in ran:
        if each.guide:
            chosen.setdefault(each.guide.uri, each)
    return list(chosen.values())


def _shown(ran: Ran, gathered: Gathered) -> ShownExample:
    """An example with what it continues before it, so that it can be read and run on its own."""
    chain = [link for link in ran.example.chain if link.skip is None or link is ran.example]
    return ShownExample(
        code="\n".join(link.code for link in chain),
        language=ran.example.language,
        output="".join(gathered.outputs.get(link, "") for link in chain),
        place=ran.example.place,
        heading=ran.example.heading,
        text=ran.text,
        guide=ran.guide,
        skipped=ran.example.skip or "",
        figures=tuple(figure for link in chain for figure in gathered.figures.get(link, ())),
    )

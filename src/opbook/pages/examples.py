"""The examples of a book: found, run now, and sorted by the builtins that they call."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from opbook.examples import Example, PageError, Result, Runner, calls, find, find_exercises, run_example
from opbook.examples.collection import read
from opbook.examples.processes import spread
from opbook.examples.snippets import SNIPPET
from opbook.pages.entries import Entry, examples_page
from opbook.pages.markdown import outside_code
from opbook.pages.page import Drawing, ExampleGroup, ExamplePart, Guide, ShownExample
from opbook.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from opbook.exercises import Proof

OWN = 8
"""How many headings of its plugin's own page a builtin's page shows at most."""

MANY = 16
"""From so many pages on, it is worth while to start processes that run their examples."""

GUIDES = 4
"""How many examples of guides it shows at most, one of each guide."""

_CODE = re.compile(r"`(\w+)`")
_BORDER = re.compile(r"\s*(?:#{1,6}\s|`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Ran:
    """An example that this build ran, on its plugin's own page or in a guide."""

    result: Result
    example: Example
    uses: frozenset[str]  # the builtins that it calls
    guide: Guide | None
    text: str  # the paragraphs above it
    named: frozenset[str]  # the builtins among those that these paragraphs speak of, or those of the whole guide

    @property
    def drawing(self) -> Drawing | None:
        """What goes behind it on its page, if anything does."""
        figures, needs = self.result.figures, self.example.needs
        _, last = self.example.output_span or (0, self.example.end)
        frames = self.result.frames
        return Drawing(last, figures, needs, frames) if figures or needs or frames else None


@dataclass
class Examples:
    """The examples of a book, those that failed among the failures."""

    own: dict[Path, list[Ran]] = field(default_factory=dict)  # by the page of a plugin or a family
    guides: list[Ran] = field(default_factory=list)
    results: dict[Example, Result] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    proofs: "dict[str, list[Proof]]" = field(default_factory=dict)  # by the guide's address

    def of(self, name: str, page: Path) -> tuple[tuple[ExampleGroup, ...], tuple[Guide, ...]]:
        """Choose the examples of one builtin, in their authors' order, and the guides that call it without teaching it.

        Its plugin's own examples come first, then one of each guide that teaches it. If there is none of either, one
        of a guide that merely calls it is better than nothing.
        """
        own = _about(name, _first_of_each(name, self.own.get(page, [])))
        called = _first_of_each(name, self.guides)
        teaching = (ran for ran in called if ran.guide and ran.guide.teaches(name))
        taught = _one_of_each_guide(ran for ran in teaching if not ran.example.needs)[:GUIDES]
        taught = taught or called[: not own]
        groups = [*_under_headings(own)[:OWN], *([ran] for ran in taught)]
        shown = {ran.guide.uri for ran in taught if ran.guide}
        elsewhere = {ran.guide.uri: ran.guide for ran in called if ran.guide and ran.guide.uri not in shown}
        return tuple(self._groups(name, groups)), tuple(elsewhere[uri] for uri in sorted(elsewhere))

    def _groups(self, name: str, groups: Iterable[Sequence[Ran]]) -> Iterator[ExampleGroup]:
        taken: dict[str, int] = {}
        for group in groups:
            heading, guide = group[0].example.heading, group[0].guide
            slug = "-".join(re.findall(r"\w+", heading.lower())) or "basic"
            taken[slug] = taken.get(slug, 0) + 1
            anchor = f"example-{slug}" + (f"-{taken[slug]}" if taken[slug] > 1 else "")
            parts = (ExamplePart(part[0].text, tuple(map(self._shown, part))) for part in _side_by_side(group))
            is_aside = guide is not None and name not in group[0].named
            yield ExampleGroup(heading, anchor, tuple(parts), group[0].example.kind, guide, is_aside)

    def _shown(self, ran: Ran) -> ShownExample:
        """An example with what it continues before it, so that it can be read and run on its own."""
        chain = [link for link in ran.example.chain if link.skip is None or link is ran.example]
        results = [self.results[link] for link in chain if link in self.results]
        before = "".join(result.printed or "" for result in results[:-1])
        drawn_before = tuple(figure for result in results[:-1] for figure in result.figures)
        return ShownExample(
            code="\n".join(link.code for link in chain),
            language=ran.example.language,
            output="".join(result.printed or "" for result in results),
            place=ran.example.place,
            heading=ran.example.heading,
            guide=ran.guide,
            skipped=ran.example.skip or "",
            needs=ran.example.needs,
            figures=tuple(figure for result in results for figure in result.figures),
            frames=tuple(
                replace(frame, printed=before + frame.printed, figures=drawn_before + frame.figures)
                for frame in ran.result.frames
            ),
        )

    def drawings(self) -> dict[str, list[Drawing]]:
        """What goes behind examples of guides, by the guide's address."""
        found: dict[str, list[Drawing]] = {}
        for ran in self.guides:
            if ran.guide and ran.drawing:
                found.setdefault(ran.guide.uri, []).append(ran.drawing)
        return found


def run_examples(
    shown: Mapping[str, Entry],
    guides: Iterable[Guide],
    catalogue: Catalogue,
    part: bool = False,
    put_in: Sequence[str] | None = None,
    families: Iterable[Path] = (),
) -> Examples:
    """Find and run the examples of plugins' own pages, of guides and of families.

    Args:
        shown: The builtins of the book.
        guides: The guides.
        catalogue: What the examples are run with.
        part: Whether to run only examples that call a builtin of the book, as where it has only some of them.
        put_in: As in a site's options: what marks examples of guides that are run later.
        families: The pages of families.
    """
    found = Examples()
    runner = Runner(catalogue)
    names = frozenset(catalogue)
    only = frozenset(shown) if part else None
    plugins = [entry.plugin for entry in shown.values()] if part else catalogue.plugins
    own = dict.fromkeys(examples_page(info) for info in plugins if info.path and info.state == "loaded")
    mine = [*(page for page in own if page.is_file()), *families]
    sources = [*((page, None) for page in mine), *((guide.path, guide) for guide in guides)]
    ran_of_each = spread(lambda source: _run(*source, names, runner, only, put_in), sources, MANY)
    for (page, guide), (ran, proofs, failures) in zip(sources, ran_of_each, strict=True):
        found.failures += failures
        found.results |= {each.example: each.result for each in ran}
        if guide is None:
            found.own[page] = ran
        else:
            found.guides += ran
            found.proofs[guide.uri] = proofs
    return found


def _run(
    page: Path,
    guide: Guide | None,
    names: frozenset[str],
    runner: Runner,
    only: frozenset[str] | None,
    put_in: Sequence[str] | None,
) -> tuple[list[Ran], "list[Proof]", list[str]]:
    try:
        lines = read(page).splitlines()
        examples = find(page)
        proofs = _proofs(page)
    except PageError as error:
        return [], [], [str(error)]
    if guide is not None and put_in is not None:
        examples = [example for example in examples if not is_put_together(example, put_in)]
    uses = {example: frozenset(calls(example, names)) for example in examples}
    if only is not None:
        examples = calling(examples, uses, only)
    ran: list[Ran] = []
    failures = [problem for proof in proofs for problem in proof.problems]
    prose = "".join(outside_code("\n".join(lines)))
    for example in examples:
        result = run_example(example, runner)
        if result.status == "failed":
            failures.append(result.message)
        if example.needs:  # the pages are the same where a package is missing
            result = replace(result, printed=example.output, figures=())
        text = _text_above(lines, example.line)
        named = uses[example].intersection(_CODE.findall(prose if guide else text))
        ran.append(Ran(result, example, uses[example], guide, text, named))
    return ran, proofs, failures


def _proofs(page: Path) -> "list[Proof]":
    exercises = find_exercises(page)
    if not exercises:
        return []
    from opbook.exercises import prove  # here, as it needs the checks, which `opbook list` has no use for

    return [prove(exercise) for exercise in exercises]


def is_put_together(example: Example, put_in: Iterable[str]) -> bool:
    """Tell whether another text takes the place of a part of an example, or of one that it continues."""
    texts = [text for link in example.chain for text in (link.code, link.output or "")]
    return any(SNIPPET.search(text) or any(mark in text for mark in put_in) for text in texts)


def calling(
    examples: Sequence[Example], uses: Mapping[Example, frozenset[str]], names: frozenset[str]
) -> list[Example]:
    """Those that call one of some builtins, with what they continue, whose output is shown with theirs."""
    wanted = {link for example in examples if uses[example].intersection(names) for link in example.chain}
    return [example for example in examples if example in wanted]


def _text_above(lines: Sequence[str], line: int) -> str:
    """The paragraphs between an example and the heading or fence above it, without comments."""
    start = line - 1
    while start > 0 and not _BORDER.match(lines[start - 1]):
        start -= 1
    return _COMMENT.sub("", "\n".join(lines[start : line - 1])).strip()


def _first_of_each(name: str, ran: Iterable[Ran]) -> list[Ran]:
    """Those that call a builtin; of those that continue one another, the first."""
    fitting = [each for each in ran if name in each.uses]
    examples = {each.example for each in fitting}
    return [each for each in fitting if not examples.intersection(each.example.chain[:-1])]


def _about(name: str, ran: list[Ran]) -> list[Ran]:
    """Those that show what a builtin does: not those whose text names others only, unless there are no better ones."""
    headings = {each.example.heading for each in ran if name in each.named}
    about = [each for each in ran if not each.named or each.example.heading in headings]
    return about or ran


def _under_headings(ran: Iterable[Ran]) -> list[list[Ran]]:
    return [list(group) for _, group in itertools.groupby(ran, lambda each: each.example.heading or each)]


def _side_by_side(ran: Iterable[Ran]) -> list[list[Ran]]:
    """Put together those under a heading that say the same in two languages; the others stand alone."""
    groups: list[list[Ran]] = []
    for each in ran:
        last = groups[-1] if groups else []
        if len(last) == 1 and each.example.heading and _are_twins(last[0].example, each.example):
            last.append(each)
            last.sort(key=lambda one: one.example.language, reverse=True)  # qu first, as everywhere
        else:
            groups.append([each])
    return groups


def _are_twins(a: Example, b: Example) -> bool:
    return a.heading == b.heading and a.language != b.language


def _one_of_each_guide(ran: Iterable[Ran]) -> list[Ran]:
    chosen: dict[str, Ran] = {}
    for each in ran:
        if each.guide:
            chosen.setdefault(each.guide.uri, each)
    return list(chosen.values())

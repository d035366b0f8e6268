"""Guides of plugins and sections that they add, as pages have them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pages.conftest import OPS

from opbook import pages
from opbook.pages.addresses import Addresses
from opbook.pages.guides import shipped_guides
from opbook.pages.links import broken
from opbook.pages.machine import builtins_json
from opbook.pages.rendering import render
from opbook.pages.sections import below
from opbook.pages.site_options import SiteOptions
from opbook.plugins.catalogue import Catalogue, load

Write = Callable[[str, str], Path]

TEXT = """
# Why

Some text, and code with what is no heading:

```text
# as it is
```

### Deeper
"""

ADDING = """
from opbook import Section, hookimpl

@hookimpl
def opbook_guides():
    return ["guides/doubling.md"]

@hookimpl
def opbook_sections():
    return [Section("double", "In a class & at home", TEXT), Section("double", "In a class, at home", "Also.")]

TEXT = '''%s'''
"""

GUIDE = "---\ntitle: Doubling\n---\n\n# Twice\n\n```qu\nsay(double([1, 2]))\n```\n\n```output\n[2. 4.]\n```\n"


@pytest.fixture
def made(write: Write, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Catalogue]:
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    write("guides/doubling.md", GUIDE)
    return lambda text=TEXT: load([write("ops.py", OPS), write("adding.py", ADDING % text)])


def test_headings_go_below_the_title() -> None:
    text = below(TEXT)
    assert "\n### Why\n" in text
    assert "\n##### Deeper\n" in text
    assert "\n# as it is\n" in text
    assert below("###### Deep\n") == "###### Deep\n"
    assert below("# One\n\n###### Six\n") == "### One\n\n###### Six\n"
    assert below("No heading") == "No heading"


def test_a_page_has_the_sections_before_what_proves_it(made: Callable[..., Catalogue]) -> None:
    book = pages.build(made())
    page = render(book).pages["builtins/double.md"]
    assert re.search(r"## In a class & at home { #section-in-a-class-at-home }\n\n<div.*>\n\n### Why\n", page)
    assert "## In a class, at home { #section-in-a-class-at-home- }" in page
    assert "\nAlso.\n\n</div>\n\nAdded by plugin adding, one file." in page
    order = [
        page.index(title) for title in ("## Gradient", "## In a class & at", "## In a class, at", 'id="verification"')
    ]
    assert order == sorted(order)
    (entry,) = [
        e for e in json.loads(builtins_json(book, Addresses(book, "builtins")))["builtins"] if e["name"] == "double"
    ]
    assert [(s["title"], s["plugin"]) for s in entry["added_sections"]] == [
        ("In a class & at home", "adding"),
        ("In a class, at home", "adding"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("One\n\n```python\n1 / 0\n```\n", "line 3: an example in a section would never be run"),
        ("```pyhton\n1\n```\n", "line 1: "),
        ("```text\n1\n", "line 1: "),
        ("Title\n=====\n", "line 2: a heading that is underlined keeps its level; write it with ###"),
    ],
)
def test_what_a_section_must_not_have(made: Callable[..., Catalogue], text: str, words: str) -> None:
    messages = [f for f in pages.build(made(text)).failures if "section" in f]
    assert len(messages) == 1
    assert "adding.py: its section 'In a class & at home' of double, " in messages[0]
    assert words in messages[0]


def test_a_table_and_a_rule_are_no_headings(made: Callable[..., Catalogue]) -> None:
    failures = pages.build(made("| a | b |\n| --- | --- |\n| 1 | 2 |\n\n---\n")).failures
    assert not [f for f in failures if "section" in f]


def test_a_link_to_nowhere_says_who_added_it(made: Callable[..., Catalogue], tmp_path: Path) -> None:
    book = pages.build(made("See [it](nowhere.md) and [that](say.md)."))
    rendered = render(book)
    shown = {rendered.addresses.builtins[name]: page for name, page in book.pages.items()}
    found = list(broken(shown, rendered.pages, rendered.pages, tmp_path))
    assert len(found) == 1
    assert "double, in a section added by plugin adding, one file, links to nowhere.md, which is no page" in found[0]


def test_guides_are_pages_and_their_examples_are_shown(made: Callable[..., Catalogue]) -> None:
    loaded = made()
    (guide,) = shipped_guides(loaded, "ops")
    assert (guide.uri, guide.title) == ("ops/guides/doubling.md", "Doubling")
    book = pages.build(loaded, [guide])
    assert not [f for f in book.failures if "doubling.md" in f]
    rendered = render(book, SiteOptions(folder="ops"))
    assert "from [Doubling](guides/doubling.md)" in rendered.pages["ops/double.md"]


def test_a_failing_example_of_a_guide_stops_the_build(made: Callable[..., Catalogue], write: Write) -> None:
    write("guides/doubling.md", GUIDE.replace("[2. 4.]", "[2. 5.]"))
    loaded = made()
    failures = pages.build(loaded, shipped_guides(loaded)).failures
    assert [f for f in failures if f.startswith("guides/doubling.md:7: the output differs")]


def test_a_site_of_some_builtins_has_the_guides_of_their_plugins(made: Callable[..., Catalogue]) -> None:
    assert shipped_guides(made(), only=["double"]) == []


def test_a_guide_that_cannot_be_read_is_reported_once(made: Callable[..., Catalogue], write: Write) -> None:
    write("guides/doubling.md", "").write_bytes(b"# \xff\n")
    loaded = made()
    failures = pages.build(loaded, shipped_guides(loaded)).failures
    assert len([f for f in failures if "doubling.md:1: byte 0xff is not UTF-8" in f]) == 1

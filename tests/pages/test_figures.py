"""Figures as they stand in the Markdown of a page."""

import itertools
import re
from xml.etree import ElementTree

import pytest
from gallery import FIGURES

from opbook.pages.guides import with_blocks
from opbook.pages.pictures import pictures

markdown = pytest.importorskip("markdown", reason="it comes with the extra opbook[site]")


def test_pictures_of_a_page_have_ids_of_their_own() -> None:
    numbers = itertools.count(1)
    html = pictures([FIGURES["bars"], FIGURES["zero bars"]], numbers) + pictures([FIGURES["bars"]], numbers)
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids)) == 6
    for labels in re.findall(r'aria-labelledby="([^"]+)"', html):
        assert set(labels.split()) <= set(ids)


def test_without_figures_there_is_nothing() -> None:
    assert pictures([], itertools.count(1)) == ""


@pytest.mark.parametrize("around", ["{}", "- a\n\n    {}\n", "> {}", '=== "Tab"\n\n    {}\n', "!!! note\n\n    {}\n"])
@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_comes_through_markdown_as_it_is(around: str, name: str) -> None:
    drawn = pictures([FIGURES[name]], itertools.count(1))
    extensions = ["attr_list", "md_in_html", "tables", "admonition", "pymdownx.superfences", "pymdownx.tabbed"]
    extensions += ["pymdownx.arithmatex", "pymdownx.tilde", "pymdownx.caret"]
    html = markdown.markdown(around.format(drawn), extensions=extensions)
    (shown,) = re.findall(r"<svg .*</svg>", html, re.DOTALL)
    expected = re.search(r"<svg .*</svg>", drawn)[0]
    assert list(map(parts, ElementTree.fromstring(shown).iter())) == list(
        map(parts, ElementTree.fromstring(expected).iter())
    )


def parts(element: ElementTree.Element) -> tuple[str, dict[str, str], str]:
    return element.tag, element.attrib, element.text or ""


def test_pictures_go_behind_their_lines() -> None:
    text = "a\n\n- b\n\n    ```\n    c\n    ```\n> d\n> ```\n> ```\nlast"
    assert with_blocks(text, [(8, 7, "ONE"), (11, 10, "TWO"), (12, 11, "THREE")]) == (
        "a\n\n- b\n\n    ```\n    c\n    ```\n\n    ONE\n\n> d\n> ```\n> ```\n>\n> TWO\n>\nlast\n\nTHREE\n\n"
    )
    assert with_blocks(text, []) == text

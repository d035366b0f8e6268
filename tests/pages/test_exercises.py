"""Exercises on pages: the stub is shown, the rest folded away, and one that is not proved stops the build."""

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from exercises.pages import EXERCISE, PAGE

from opbook import pages
from opbook.examples import find
from opbook.pages.site import Site, make
from opbook.pages.site_options import SiteOptions
from opbook.plugins.catalogue import Catalogue

Write = Callable[[str, str], Path]


@pytest.fixture
def site(ops: Catalogue, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Site]:
    """Makes a site of one page of its own."""
    monkeypatch.setattr("opbook.pages.site.load_with", lambda _: ops)

    def made(page: str) -> Site:
        file = write("docs/learn/twice.md", page)
        return make(SiteOptions(docs=str(tmp_path / "docs"), guides=(str(file),), verify=False))

    return made


def test_what_would_spoil_it_is_folded(site: Callable[[str], Site]) -> None:
    text = site(f"{PAGE}\n```hint\nAdd *it* to itself.\n```\n\nBehind.\n").documents["learn/twice.md"]
    shown, *folded = text.split("<details")
    assert '<div class="ob-exercise" id="exercise-double" data-exercise="double" data-source="' in shown
    source = base64.b64decode(re.search(r'data-source="([^"]*)"', shown)[1]).decode()
    assert source == f"{EXERCISE}\n```hint\nAdd *it* to itself.\n```\n"
    assert "``` { .python .ob-stub }\ndef double(x):\n    return ...\n```" in shown
    assert "return 2 * x" not in shown
    hint, wrong, right = folded
    assert "Add *it* to itself." in hint
    assert "It squares:" in wrong
    assert "return x**2" in wrong
    assert "twice 3 is 6, not 9" in wrong
    assert "return 2 * x" in right
    assert right.rstrip().endswith("Behind.")
    assert "python exercise" not in text


def test_the_finished_page_is_one_whose_fences_are_all_known(site: Callable[[str], Site]) -> None:
    text = site(PAGE).documents["learn/twice.md"]
    assert [example.output for example in find(Path("twice.md"), text)] == [None] * 3


def test_what_it_is_held_to_is_linked(site: Callable[[str], Site]) -> None:
    page = EXERCISE.replace('"double"', '"twice" judged_by="double"', 1)
    assert "[`double`](../builtins/double.md)" in site(page).documents["learn/twice.md"]


def test_an_exercise_in_a_list_stays_in_it(site: Callable[[str], Site]) -> None:
    page = "- item\n\n" + "\n".join(f"    {line}" if line else "" for line in EXERCISE.splitlines()) + "\n\nBehind.\n"
    lines = site(page).documents["learn/twice.md"].splitlines()
    assert all(line.startswith("    ") or not line for line in lines[2 : lines.index("Behind.")])


def test_one_that_is_not_proved_stops_the_build(site: Callable[[str], Site]) -> None:
    failures = site(PAGE.replace("x**2", "x + x")).failures
    assert any("twice.md:23: this wrong answer to double passes: It squares" in failure for failure in failures)


def test_a_book_has_the_proofs_of_its_guides(ops: Catalogue, write: Write) -> None:
    guide = pages.Guide(write("twice.md", PAGE), "learn/twice.md", "Numbers")
    (proof,) = pages.build(ops, [guide]).exercises["learn/twice.md"]
    assert (proof.exercise.name, proof.problems) == ("double", ())

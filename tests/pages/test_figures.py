"""Figures on pages: in their places."""

import re

from gallery import FIGURES

from opbook.pages.figures import Gallery, hide, illustrate, place
from opbook.pages.model import Drawn, Guide


def test_pictures_are_placed_with_ids_of_their_own():
    gallery = Gallery(True)
    mark = gallery.mark([FIGURES["bars"], FIGURES["zero bars"]])
    hidden = hide(f"<p>{mark}</p>\n<ul><li>{mark}</li></ul>", gallery.blocks)
    assert hidden == f"<!--{mark}-->\n<ul><li><!--{mark}--></li></ul>", "a search finds no mark"
    html = place(hidden, gallery.blocks)
    ids = re.findall(r' id="([^"]+)"', html)
    assert ids == [f"figure-{i}-{part}" for i in range(1, 5) for part in ("title", "desc")]
    for labels in re.findall(r'aria-labelledby="([^"]+)"', html):
        assert set(labels.split()) <= set(ids)
    assert "<p><div" not in html
    assert "obfigures" not in html
    assert html.count("<figcaption>bars</figcaption>") == 2
    assert html.count("<figure>") == 4


def test_a_mark_is_the_same_for_the_same_figures_only():
    gallery = Gallery(True)
    assert gallery.mark([]) == ""
    assert gallery.mark([FIGURES["bars"]]) == gallery.mark((FIGURES["bars"],))
    assert gallery.mark([FIGURES["bars"]]) != gallery.mark([FIGURES["zero bars"]])
    assert len(gallery.blocks) == 2


def test_without_figures_there_is_nothing():
    assert Gallery(False).mark([FIGURES["bars"]]) == ""


def test_an_unknown_mark_stays():
    text = f"obfigures{'0' * 24}x"
    assert place(hide(text, {}), {}) == text


def test_marks_of_guides(tmp_path):
    gallery = Gallery(True)
    guide = Guide(tmp_path / "a.md", "a.md", "A")
    marks = gallery.marks([Drawn(guide, 3, (FIGURES["bars"],)), Drawn(guide, 9, (FIGURES["zero bars"],))])
    assert marks == {"a.md": [(3, gallery.mark([FIGURES["bars"]])), (9, gallery.mark([FIGURES["zero bars"]]))]}


def test_marks_go_behind_their_lines():
    text = "a\n\n- b\n\n    ```\n    c\n    ```\n> d\n> ```\n> ```\nlast"
    marked = illustrate(text, [(7, "MARK1"), (10, "MARK2"), (11, "MARK3")])
    assert marked == (
        "a\n\n- b\n\n    ```\n    c\n    ```\n\n    MARK1\n\n> d\n> ```\n> ```\n>\n> MARK2\n>\nlast\n\nMARK3\n\n"
    )
    assert illustrate(text, []) == text

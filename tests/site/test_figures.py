"""Figures in a built site: in guides and on the pages of builtins."""

import re
from typing import Any

import pytest
from gallery import FIGURES
from site_projects import Project

from opbook.figures.svg import svg

PLUGIN = '''
    """A plugin that draws."""

    from opbook import Array, builtin, hookimpl, stop_gradient
    from opbook.figures import Heatmap, show


    # As it is.
    @builtin(category="Drawing")
    def picture(x: Array["M N"]) -> None:
        """Draws a matrix."""
        show(Heatmap(tuple(map(tuple, stop_gradient(x).tolist())), "a picture"))


    @hookimpl
    def opbook_builtins():
        """Add it."""
        return [picture]
    '''

GUIDE = """
    ---
    title: Guide
    ---

    # Welcome

    ```qu
    picture([1, 2;])
    ```

    1.  In a list:

        ```python
        from opbook.ops import picture

        print("drawn")
        picture([[1.0, 2.0]])
        picture([[3.0, 4.0]])
        ```

        ```output
        drawn
        ```

    The end.
    """


@pytest.fixture
def drawing(small: Project) -> Project:
    small.write("my_ops.py", PLUGIN)
    small.write("docs/index.md", GUIDE)
    return small


def test_figures_stand_below_their_examples(drawing: Project) -> None:
    built = drawing.build()
    assert (built.returncode, built.stderr) == (0, ""), built.stderr
    guide, page = drawing.page(""), drawing.page("ops/picture")
    assert guide.count('<svg data-search-exclude="" viewBox') == 3
    content = guide[guide.index("<article") : guide.index("</article>")]
    order = re.findall(r'figure-\d-title">|language-output|The end|</ol>', content)
    assert order == ['figure-1-title">', "language-output", 'figure-2-title">', 'figure-3-title">', "</ol>", "The end"]
    assert page.count('<svg data-search-exclude="" viewBox') == 1, "a page shows one example of each guide"
    for html in (guide, page):
        assert "obfigures" not in html
        ids = re.findall(r'\bid="([^"]+)"', html)
        assert len(ids) == len(set(ids))
    assert "A matrix of 1 row" not in (drawing.site / "search/opbook-index.js").read_text(encoding="utf-8")


def test_figures_can_be_left_out(drawing: Project) -> None:
    drawing.change("mkdocs.yml", "index: ops", "index: ops\n      figures: false")
    built = drawing.build()
    assert built.returncode == 0, built.stderr
    assert "ob-figures" not in drawing.page("") + drawing.page("ops/picture")
    assert "obfigures" not in drawing.page("") + drawing.page("ops/picture")


OVERHANGS = """svgs => svgs.flatMap(svg => {
    const box = svg.viewBox.baseVal
    return [...svg.querySelectorAll("text")].flatMap(text => {
        const place = text.getBBox(), matrix = text.transform.baseVal.consolidate()?.matrix ?? svg.createSVGMatrix()
        const corners = [[place.x, place.y], [place.x + place.width, place.y], [place.x, place.y + place.height],
            [place.x + place.width, place.y + place.height]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix))
        const inside = corners.every(({x, y}) => x >= box.x - 0.5 && x <= box.x + box.width + 0.5
            && y >= box.y - 0.5 && y <= box.y + box.height + 0.5)
        return inside ? [] : [text.textContent]
    })
})"""


@pytest.mark.parametrize("font", ["sans-serif", "serif", "monospace"])
def test_no_label_is_cut_off_and_no_page_scrolls_sideways(browser: Any, font: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 800})
    try:
        drawn = "".join(f"<p>{svg(figure, name.replace(' ', '-'))}</p>" for name, figure in FIGURES.items())
        page.set_content(f"<!doctype html><body style='font-family:{font}'>{drawn}</body>")
        assert page.locator("svg").count() == len(FIGURES)
        assert page.locator("svg").evaluate_all(OVERHANGS) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    finally:
        page.close()

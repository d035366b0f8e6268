"""Figures in a built site: in guides and on the pages of builtins."""

import re

import pytest
from site_projects import Project

pytest.importorskip("matplotlib", reason="figures on pages need the extra opbook[site]")

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

NO_MATPLOTLIB = 'raise ImportError("there is no Matplotlib here")\n'


@pytest.fixture
def drawing(small: Project) -> Project:
    small.write("my_ops.py", PLUGIN)
    small.write("docs/index.md", GUIDE)
    return small


def hide_matplotlib(project: Project) -> None:
    project.write("../stub/matplotlib/__init__.py", NO_MATPLOTLIB)
    project.environment["PYTHONPATH"] = str(project.folder / "../stub")


def test_figures_stand_below_their_examples(drawing: Project) -> None:
    built = drawing.build()
    assert (built.returncode, built.stderr) == (0, ""), built.stderr
    guide, page = drawing.page(""), drawing.page("ops/picture")
    assert guide.count("<svg viewBox") == 3
    content = guide[guide.index("<article") : guide.index("</article>")]
    order = re.findall(r'figure-\d-title">|language-output|The end|</ol>', content)
    assert order == ['figure-1-title">', "language-output", 'figure-2-title">', 'figure-3-title">', "</ol>", "The end"]
    assert page.count("<svg viewBox") == 1, "a page shows one example of each guide"
    for html in (guide, page):
        assert "obfigures" not in html
        ids = re.findall(r'\bid="([^"]+)"', html)
        assert len(ids) == len(set(ids))
    assert "A matrix of 1 row" not in (drawing.site / "search/search_index.json").read_text(encoding="utf-8")


def test_a_second_build_draws_nothing(drawing: Project) -> None:
    assert drawing.build().returncode == 0
    before = drawing.files()
    assert len(list(drawing.folder.glob(".cache/opbook/figures/*.svg"))) == 2, "of three figures two are the same"
    hide_matplotlib(drawing)
    built = drawing.build()
    assert built.returncode == 0, built.stderr
    assert drawing.files() == before


def test_without_matplotlib_the_build_says_what_to_do(drawing: Project) -> None:
    hide_matplotlib(drawing)
    built = drawing.build()
    assert built.returncode == 1
    assert "pip install 'opbook[site]', or set the plugin's option figures to false" in built.stderr
    assert "Traceback" not in built.stderr


def test_figures_can_be_left_out(drawing: Project) -> None:
    hide_matplotlib(drawing)
    drawing.change("mkdocs.yml", "index: ops", "index: ops\n      figures: false")
    built = drawing.build()
    assert built.returncode == 0, built.stderr
    assert "<svg viewBox" not in drawing.page("") + drawing.page("ops/picture")
    assert "obfigures" not in drawing.page("") + drawing.page("ops/picture")
    assert not (drawing.folder / ".cache/opbook/figures").exists()

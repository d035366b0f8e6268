"""Guides that a plugin brings along, and sections that it adds, on a site."""

import re

import pytest
from site_projects import Project

pytest.importorskip("mkdocs", reason="the site needs the extra opbook[site]")

from opbook.mkdocs.navigation import splice

GUIDE = """
# About twos

[Twice](../double.md#builtin-double) two, see [the other](more.md):

```qu
say(double(2))
```

```output
4.0
```
"""

MORE = "# More twos\n\nBack to [the first](twos.md), or [home](../../index.md).\n"

HOOKS = '''

@hookimpl
def opbook_guides():
    """Bring them along."""
    return ["guides/twos.md", "guides/more.md"]


@hookimpl
def opbook_sections():
    """Add one."""
    from opbook import Section

    text = "# PyTorch\\n\\nAs [`say`](say.md) says.\\n\\n# PyTorch\\n\\nAgain."
    return [Section("double", "Elsewhere", text)]
'''


@pytest.fixture
def guided(small: Project) -> Project:
    small.write("guides/twos.md", GUIDE)
    small.write("guides/more.md", MORE)
    path = small.folder / "my_ops.py"
    path.write_text(path.read_text(encoding="utf-8") + HOOKS, encoding="utf-8")
    return small


def titles(page: str) -> list[str]:
    found = re.findall(r'<span class="md-ellipsis">\s*(.*?)\s*</span>', page, re.DOTALL)
    return list(dict.fromkeys(found))


def test_they_are_built_with_their_links_and_stand_in_the_index(guided: Project) -> None:
    built = guided.build()
    assert built.returncode == 0, built.stderr
    page = guided.page("ops/guides/twos")
    assert 'href="../../double/#builtin-double"' in page
    assert 'href="../more/"' in page
    assert 'from <a href="../guides/twos/">About twos</a>' in guided.page("ops/double")
    order = titles(guided.page(""))
    assert order.index("Plugins") < order.index("Guides") < order.index("More twos") < order.index("About twos")


def test_they_stand_where_the_navigation_says(guided: Project) -> None:
    guided.change("mkdocs.yml", "  - Ops: ops\n", "  - Learn:\n      - learn.md\n      - ops/guides/\n  - Ops: ops\n")
    guided.write("docs/learn.md", "# Learning\n")
    built = guided.build()
    assert built.returncode == 0, built.stderr
    order = titles(guided.page(""))
    assert order.index("Learn") < order.index("Learning") < order.index("More twos") < order.index("Ops")
    assert "Guides" not in order


def test_a_section_has_its_place_and_anchors_of_its_own(guided: Project) -> None:
    assert guided.build().returncode == 0
    page = guided.page("ops/double")
    assert '<h2 id="section-elsewhere">Elsewhere' in page
    assert '<h3 id="pytorch">PyTorch' in page
    assert '<h3 id="pytorch_1">PyTorch' in page
    assert 'As <a href="../say/">' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_a_failing_example_of_a_guide_stops_the_build(guided: Project) -> None:
    guided.change("guides/twos.md", "4.0\n", "5.0\n")
    built = guided.build()
    assert built.returncode == 1
    assert "guides/twos.md:5: the output differs" in built.stderr


@pytest.mark.parametrize(
    ("nav", "expected"),
    [
        (["a.md", "ops/guides"], ["a.md", "x.md", "y.md"]),
        ([{"Learn": ["a.md", "ops/guides/"]}], [{"Learn": ["a.md", "x.md", "y.md"]}]),
        ([{"More": "ops/guides/"}, "b.md"], [{"More": ["x.md", "y.md"]}, "b.md"]),
        (["a.md", {"B": "b.md"}], None),
    ],
)
def test_pages_take_the_place_of_their_entry(nav: list, expected: list | None) -> None:
    assert splice(nav, "ops/guides", ["x.md", "y.md"]) == (expected or nav, expected is not None)


def test_without_guides_their_entry_goes() -> None:
    nav = [{"Learn": ["a.md", "ops/guides/"]}, {"More": "ops/guides/"}]
    assert splice(nav, "ops/guides", []) == ([{"Learn": ["a.md"]}], True)

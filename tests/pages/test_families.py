"""What plugins say of categories: run, put around the table, and said to be wrong where it fits nothing."""

import itertools
import re

import pytest

from opbook import pages
from opbook.pages.families import astray, family_text
from opbook.pages.rendering import render
from opbook.pages.site_options import SiteOptions
from opbook.plugins.catalogue import catalogue, load
from opbook.plugins.contributions import Family

OPS = '''
from opbook import Array, Family, Mask, builtin, hookimpl

# Twice.
@builtin(category="Filters")
def twice(x: Array["... D"], *, mask: Mask["... D"] | None = None, key_mask: Mask["D"] | None = None) -> Array["... D"]:
    """Doubles x."""
    return 2 * x

@builtin(category="Filters")
def half(x: Array["..."]) -> Array["..."]:
    """Halves x | y."""
    return x / 2

@builtin(category="Counts")
def count(n: int) -> int:
    """Counts."""
    return n

@hookimpl
def opbook_builtins():
    return [twice, half, count]
'''

HOOK = """
from opbook import Family, hookimpl

@hookimpl
def opbook_families():
    return [FAMILIES]
"""

TEXT = """
Filters hold back.

`twice`
:   Lets through | twice, as
    [`half`](../half.md) does not.

They are two.

```python
from opbook.figures import Bars, show

show(Bars((1.0, 2.0), (), "two"))
```

`untouched` in a text stays.

## Which one do I want?

```text
`half`
:   Is code here.

## No heading
```

- Take it.
"""

numbers = itertools.count()


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Loads plugins: one with ops, and one with these families for each further argument."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    (tmp_path / "family.md").write_text(TEXT, encoding="utf-8")

    def write(*families):
        files = []
        for code in (OPS, *(HOOK.replace("FAMILIES", each) for each in families)):
            files.append(tmp_path / f"families_{next(numbers)}.py")
            files[-1].write_text(code, encoding="utf-8")
        return load(files)

    return write


def category(book, name, options=None):
    return render(book, options).pages[f"builtins/category/{name}.md"]


def row(page, name):
    (found,) = re.findall(rf"^\| \[`{name}`\].*$", page, re.MULTILINE)
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", found)[1:-1]]


def test_the_text_stands_around_the_table(loaded):
    book = pages.build(loaded("Family('Filters', 'family.md')"))
    page = category(book, "filters")
    parts = ["# Filters", "Filters hold back.", "They are two.", "show(Bars(", "<svg", "`untouched` in a text stays."]
    parts += ["| Name | What sets it apart | Gradient | Mask |", "## Which one do I want?", "- Take it."]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert "`half`\n:   Is code here.\n\n## No heading" in page
    assert "`twice`\n" not in page
    assert row(page, "twice") == [
        '[`twice`](../twice.md) <span class="ob-mark">single file</span><br>`result = twice(x, [mask=], [key_mask=])`',
        "Lets through \\| twice, as [`half`](../half.md) does not.",
        "tape",
        "`mask` `key_mask`",
    ]
    assert row(page, "half")[1:] == ["Halves x &#124; y.", "tape", ""]  # the summary, as nobody says more
    assert not any("family.md" in failure for failure in book.failures)
    assert "<svg" not in category(book, "filters", SiteOptions(figures=False))


def test_a_category_without_text_has_its_table(loaded):
    book = pages.build(loaded("Family('Filters', 'family.md')"))
    page = category(book, "counts")
    assert "| Name | What sets it apart | Gradient |\n" in page  # and no masks, as nothing takes one
    assert row(page, "count")[1:] == ["Counts.", "none"]


def test_an_example_that_fails_is_a_failure_of_the_book(loaded, tmp_path):
    (tmp_path / "family.md").write_text("```python\nprint(1)\n```\n\n```output\n2\n```\n", encoding="utf-8")
    book = pages.build(loaded("Family('Filters', 'family.md')"))
    assert any("family.md:1: the output differs" in failure for failure in book.failures)
    only = pages.build(loaded("Family('Filters', 'family.md')"), only=["count"])
    assert set(only.families) == set()


@pytest.mark.parametrize(
    ("families", "words"),
    [
        (["Family('Filters', 'family.txt')"], "it is not Markdown"),
        (["Family('Filters', 'none.md')"], "it is not there"),
        (["Family('Filters', 'family.md')"] * 2, "2 families have the same name"),
    ],
)
def test_what_is_wrong_costs_the_text_only(loaded, families, words):
    found = loaded(*families)
    assert any(words in message for message in found.conflicts())
    assert found.contributions(Family) == []
    assert row(category(pages.build(found), "filters"), "twice")[1] == "Doubles x."


@pytest.mark.parametrize("wrong", ["Family('', 'family.md')", "Family(None, 'family.md')"])
def test_a_family_has_a_category(loaded, wrong):
    (failed,) = (info for info in loaded(wrong).plugins if info.state == "failed")
    assert "the category of a family must be a text" in failed.error


def test_what_fits_nothing_is_said(loaded, tmp_path):
    assert list(astray(loaded("Family('Filters', 'family.md')"))) == []
    (message,) = astray(loaded("Family('Filter', 'family.md')"))
    assert "the category Filter, which no builtin has. Did you mean Filters?" in message
    (tmp_path / "family.md").write_text("`twise`\n:   Is none.\n", encoding="utf-8")
    (message,) = astray(loaded("Family('Filters', 'family.md')"))
    assert "says what sets twise apart, which is not in Filters. Did you mean twice?" in message


def test_every_category_of_ours_is_described_and_every_builtin_in_it():
    ours = catalogue()
    assert list(astray(ours)) == []
    texts = {one.thing.category: one.thing.path.read_text("utf-8") for one in ours.contributions(Family)}
    assert set(texts) == set(ours.categories())
    for name, members in ours.categories().items():
        text = family_text(texts[name])
        assert set(text.apart) == {op.name for op in members}, name
        assert text.opening, name
        assert re.findall(r"^## (.*)", text.rest, re.MULTILINE) == ["Side by side", "Which one do I want?"], name
        linked = set(re.findall(r"\.\./(\w+)\.md", text.rest))
        assert linked <= set(ours), name

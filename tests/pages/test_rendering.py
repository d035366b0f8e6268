import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from opbook import pages
from opbook.autodiff.derivatives.refusals import surface
from opbook.pages import rendering
from opbook.pages.links import broken
from opbook.pages.markdown import as_html, fence
from opbook.pages.page import ExampleGroup, ExamplePart
from opbook.pages.reference import command_line, differentiable_numpy
from opbook.pages.rendering import render
from opbook.pages.site_options import SiteOptions
from opbook.plugins.catalogue import Catalogue

Write = Callable[[str, str], Path]

EXAMPLE = "```qu\nsay(double([1]))\nsay(pick(2))\n```\n\n```output\n[2.]\n2.0\n```\n"


@pytest.fixture
def book(ops: Catalogue, write: Write) -> pages.Book:
    write("examples.md", EXAMPLE)
    path = write("learn/guide.md", "# The guide\n\n" + EXAMPLE)
    return pages.build(ops, [pages.Guide(path, "learn/guide.md", "The guide")])


def test_addresses_and_nav(book: pages.Book) -> None:
    rendered = render(book, SiteOptions(folder="ops/list"))
    plugin = book.pages["say"].origin.plugin
    slug = "-".join(plugin.split("_")) if "-" in plugin else plugin
    names = ("index", "a-z", "double", "pick", "say", "category/arrays-more", "category/text", f"plugin/{slug}")
    assert set(rendered.pages) == {f"ops/list/{name}.md" for name in names}
    assert rendered.nav == [
        ("", "ops/list/index.md"),
        ("A to Z", "ops/list/a-z.md"),
        (
            "Arrays & more",
            [
                ("", "ops/list/category/arrays-more.md"),
                ("double", "ops/list/double.md"),
                ("pick", "ops/list/pick.md"),
            ],
        ),
        ("Text", [("", "ops/list/category/text.md"), ("say", "ops/list/say.md")]),
        ("Plugins", [(plugin, f"ops/list/plugin/{slug}.md")]),
    ]


def test_many_plugins_stand_on_the_index_instead(book: pages.Book, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = book.pages["say"].origin.plugin
    assert "## Plugins" not in render(book).pages["builtins/index.md"]
    monkeypatch.setattr(rendering, "MANY_PLUGINS", 0)
    rendered = render(book)
    (uri,) = rendered.unlisted
    assert "Plugins" not in dict(rendered.nav)
    assert rendered.unlisted[uri] == "builtins/index.md"
    assert f"[{plugin}]({uri.removeprefix('builtins/')}) <small>3</small>" in rendered.pages["builtins/index.md"]


def test_the_sections_stand_in_order(book: pages.Book) -> None:
    rendered = render(book)
    text = rendered.pages["builtins/double.md"]
    parts = [
        "[Builtin index](index.md) · [Arrays & more](category/arrays-more.md)",
        "# double",
        "result = double(x, [times=], [mask=], [eps=])",
        "Input [`x`](#input-x), [`times`](#input-times), [`mask`](#input-mask)",
        "not overloaded. It is used by [`pick`](pick.md).",
        "## What it is",
        "Doubles every entry.",
        "## Definition",
        "$$2x$$",
        "```python\ndef double(",
        "Arithmetic.",
        "## Example",
        "say(double([1]))",
        "```output\n[2.]\n2.0\n```",
        "## How it works",
        "Twice x, because $x + x = 2x$.",
        "## Inputs and output",
        "`x`{ #input-x } (..., D) array",
        "## More examples",
        "from [The guide](../learn/guide.md)",
        "## Gradient",
        "(dx,) = pullback(g)",
        "It is twice the cotangent.",
        "```python\n@double.defvjp",
        '<svg class="ob-tape-picture"',
        "## Edge cases",
        "| an infinity <br>`double([inf])` | `[inf]` |",
        "`ShapeError`: mask does not fit.",
        "- a negative count: `InputError` double: times must be at least 0, but is -1",
        "Not verified by this build",
        "Comes from",
    ]
    place = text.index("\n---\n")
    for part in parts:
        assert part in text[place:], part
        place = text.index(part, place)


def test_every_anchor_that_a_page_links_to_is_on_it(book: pages.Book) -> None:
    for text in render(book).pages.values():
        links = re.findall(r"\]\(#([\w-]+)\)", text)
        assert set(links) <= set(re.findall(r"\{[^}]*#([\w-]+)", text))


def test_what_has_no_gradient_has_no_heading_for_one(book: pages.Book) -> None:
    written = render(book).pages
    assert "## Gradient" in written["builtins/double.md"]
    assert "## Gradient" not in written["builtins/say.md"]
    assert (
        "There is nothing to differentiate: it takes no numbers that could change a little."
        in written["builtins/say.md"]
    )


def test_two_call_shapes_that_read_alike_stand_above_the_page_once(book: pages.Book) -> None:
    page = book.pages["double"]
    twice = dataclasses.replace(page, calls=page.calls * 2)
    text = render(pages.Book({"double": twice})).pages["builtins/double.md"]
    assert text.partition("## What it is")[0].count(page.calls[0].text) == 1


def test_the_index_has_every_builtin_under_its_category(book: pages.Book) -> None:
    text = render(book).pages["builtins/index.md"]
    assert "3 builtins in 2 categories" in text
    _, arrays, texts = text.split("\n## ")
    assert arrays.startswith("[Arrays & more](category/arrays-more.md)")
    assert '| [`double`](double.md) <span class="ob-mark">single file</span>' in arrays
    assert "hidden> twice</span> | Doubles every entry." in arrays
    assert "| `heads, head → number`<br>`n → number` | tape |" in arrays
    assert "`x (...,\N{NO-BREAK SPACE}D) → (...,\N{NO-BREAK SPACE}D)` | rule | `mask` |" in arrays
    assert "[`say`](say.md)" in texts


def test_a_category_and_a_plugin_have_pages_that_list_their_builtins(book: pages.Book) -> None:
    written = render(book).pages
    category = written["builtins/category/arrays-more.md"]
    assert re.search(r"^\| \[`double`\]\(../double.md\) .* \| Doubles every entry.", category, re.MULTILINE)
    assert "`result = pick(heads, head, [n=])`" in category
    assert "say.md" not in category
    (plugin,) = (text for uri, text in written.items() if "/plugin/" in uri)
    assert all(f"[`{name}`](../{name}.md)" in plugin for name in book.pages)
    assert "single file" in plugin


def test_the_list_from_a_to_z_has_names_and_aliases(book: pages.Book) -> None:
    text = render(book).pages["builtins/a-z.md"]
    d, t = (text.split(f"{{ #letter-{letter} }}")[1].split("\n## ")[0] for letter in "dt")
    assert "- [`double`](double.md) Doubles every entry." in d
    assert "- twice: see [`double`](double.md)" in t


def test_a_search_gets_the_other_names_of_a_builtin(book: pages.Book) -> None:
    page = dataclasses.replace(book.pages["double"], name="double_up", aliases=("Twice as much", "double-quick"))
    text = render(pages.Book({"double_up": page})).pages["builtins/double_up.md"]
    assert 'words: ["double up", "Twice as much", "double-quick"]' in text.split("---")[1]


def test_third_parties_are_marked_and_say_how_they_are_installed(book: pages.Book) -> None:
    def of(distribution: str, is_ours: bool = False) -> dict[str, str]:
        origin = dataclasses.replace(
            book.pages["double"].origin, distribution=distribution, version="1.0", is_ours=is_ours
        )
        shelf = pages.Book({"double": dataclasses.replace(book.pages["double"], origin=origin)})
        return render(shelf).pages

    theirs, ours = of("arrays-of-others"), of("opbook-arrays", is_ours=True)
    for uri in ("builtins/index.md", "builtins/double.md", "builtins/category/arrays-more.md"):
        assert "third party" in theirs[uri]
        assert "third party" not in ours[uri]
    assert ":   `pip install arrays-of-others`" in theirs["builtins/double.md"]
    assert "builtins/plugin/arrays-of-others.md" in theirs


def test_source_links_to_its_line_where_the_project_says_where(book: pages.Book, tmp_path: Path) -> None:
    setting = SiteOptions(source_url="https://git.example/{path}#L{line}", root=str(tmp_path))
    origin = book.pages["double"].origin
    rendered = render(book, setting)
    url = f"https://git.example/{origin.path.name}#L{origin.line}"
    assert f"line {origin.line}]({url})" in rendered.pages["builtins/double.md"]
    elsewhere = render(book, dataclasses.replace(setting, root=str(tmp_path / "docs")))
    assert "git.example" not in elsewhere.pages["builtins/double.md"]


def test_examples_in_two_languages_under_one_heading_stand_side_by_side(book: pages.Book) -> None:
    qu = book.pages["double"].examples[0]
    python = dataclasses.replace(qu, language="python", code="print(1)\n\n\nprint(2)\n")
    groups = (
        ExampleGroup("One", "example-one", (ExamplePart("", (qu, python)),)),
        ExampleGroup("Two", "example-two", (ExamplePart("In words.", (python,)),)),
    )
    page = dataclasses.replace(book.pages["double"], groups=groups)
    text = render(pages.Book({"double": page})).pages["builtins/double.md"]
    places = [
        text.index('=== "qu"\n'),
        text.index("    ``` { .qu #run-example-one-qu }\n    say("),
        text.index('=== "python"\n'),
        text.index("    ``` { .python #run-example-one-python }\n    print(1)"),
        text.index(
            '<details class="ob-fold ob-more" id="example-two" markdown="1">\n<summary>Two</summary>\n\nIn words.'
        ),
        text.index("\n``` { .python #run-example-two-python }\nprint(1)"),
    ]
    assert places == sorted(places)
    assert "    print(1)\n\n\n    print(2)" in text, "blank lines in code stay"


def test_a_builtin_called_index_does_not_take_the_place_of_the_index(book: pages.Book) -> None:
    page = dataclasses.replace(book.pages["double"], name="index")
    rendered = render(dataclasses.replace(book, pages={"index": page}))
    assert {"builtins/index.md", "builtins/index-builtin.md"} < set(rendered.pages)
    assert "](index-builtin.md)" in rendered.pages["builtins/index.md"]


def test_categories_that_look_alike_have_pages_of_their_own(book: pages.Book) -> None:
    alike = {
        "double": dataclasses.replace(book.pages["double"], category="A & B"),
        "say": dataclasses.replace(book.pages["say"], category="A / B"),
    }
    assert len([uri for uri in render(pages.Book(alike)).pages if "/category/" in uri]) == 2


def test_blank_lines_in_code_stay(book: pages.Book) -> None:
    example = dataclasses.replace(book.pages["double"].examples[0], code="a = 1\n\n\n\nsay(a)\n")
    group = ExampleGroup("", "example-basic", (ExamplePart("", (example,)),))
    page = dataclasses.replace(book.pages["double"], groups=(group,))
    text = render(dataclasses.replace(book, pages={"double": page})).pages["builtins/double.md"]
    assert "a = 1\n\n\n\nsay(a)" in text
    assert "\n\n\n" not in text.replace("a = 1\n\n\n\n", "")


def test_a_fence_is_longer_than_any_in_it() -> None:
    assert fence("x\n", "qu") == "```qu\nx\n```"
    assert fence("````text\n````\n", "markdown") == "`````markdown\n````text\n````\n`````"


def test_the_list_of_numpy_functions_is_the_table_of_rules() -> None:
    text = differentiable_numpy()
    for name, what, why in surface():
        assert (f"- `{name}`" if what == "no arrays" else f"| `{name}` | {what} | {why} |") in text
    assert text.count("`np.") == len(surface())


def test_every_command_and_option_is_in_the_reference() -> None:
    click = pytest.importorskip("click")
    from opbook.cli import main

    text = command_line()

    def walk(command: object, words: str) -> None:
        assert re.search(rf"^#+ {words}$", text, re.MULTILINE), words
        section = re.split(rf"^#+ {words}$", text, maxsplit=1, flags=re.MULTILINE)[1].split("\n#")[0]
        context = click.Context(command)
        for parameter in command.get_params(context):
            if isinstance(parameter, click.Option):
                assert all(option in section for option in parameter.opts), (words, parameter.opts)
        for name in command.list_commands(context) if isinstance(command, click.Group) else ():
            walk(command.get_command(context, name), f"{words} {name}")

    walk(main, "opbook")


HOSTILE = '<img src=x onerror="alert(1)"> [a](javascript:b) `c` | *d* &lt;'


def test_what_is_plain_text_is_shown_as_it_is_on_every_page(book: pages.Book) -> None:
    name = "double"
    page = book.pages[name]
    origin = dataclasses.replace(page.origin, distribution=HOSTILE, version=HOSTILE, licence=HOSTILE, summary=HOSTILE)
    page = dataclasses.replace(page, category=HOSTILE, aliases=(HOSTILE,), summary=HOSTILE, origin=origin)
    rendered = render(pages.Book({**book.pages, name: page}))
    for uri, text in rendered.pages.items():
        prose = re.sub(r"`[^`\n]*`", "", text)  # code is shown as it is anyway
        assert "<img" not in prose, uri
        body = prose.partition("\n---\n")[2]
        assert "](javascript" not in body, uri
        assert "*d*" not in body, uri
    assert "<img" not in str(rendered.nav)


@pytest.mark.parametrize(
    "link",
    ["[x](javascript:f())", "[x](<JavaScript:f()>)", '<a href="java&#115;cript:f()">x</a>', "[x]: javascript:f()"],
)
def test_a_link_to_a_script_is_a_failure(book: pages.Book, link: str) -> None:
    page = book.pages["double"]
    (failure,) = broken({"builtins/double.md": page}, {"builtins/double.md": f"See {link}.\n"}, (), Path())
    assert failure.startswith(f"{page.origin.path.name}:{page.origin.line}: double has a link to ")
    code = {"builtins/double.md": "```html\n<a href=javascript:f()>\n```\n"}
    assert not list(broken({"builtins/double.md": page}, code, (), Path()))


def test_code_in_a_summary_is_markup_and_all_else_is_text() -> None:
    assert as_html("Refuse `n <= 0` & *more*.") == "Refuse <code>n &lt;= 0</code> &amp; *more*."

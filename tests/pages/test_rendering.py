import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from opbook import pages
from opbook.catalogue import Catalogue
from opbook.derivatives import supported
from opbook.pages.reference import command_line, differentiable_numpy
from opbook.pages.rendering import fence, render

Write = Callable[[str, str], Path]

EXAMPLE = "```qu\nsay(double([1]))\nsay(pick(2))\n```\n\n```output\n[2.]\n2.0\n```\n"


@pytest.fixture
def book(ops: Catalogue, write: Write) -> pages.Book:
    write("examples.md", EXAMPLE)
    path = write("learn/guide.md", "# The guide\n\n" + EXAMPLE)
    return pages.build(ops, [pages.Guide(path, "learn/guide.md", "The guide")])


def test_addresses_and_nav(book: pages.Book) -> None:
    rendered = render(book, "ops/list")
    assert set(rendered.pages) == {f"ops/list/{name}.md" for name in ("index", "double", "pick", "say")}
    assert rendered.index == "ops/list/index.md"
    assert rendered.nav == {
        "Arrays & more": [("double", "ops/list/double.md"), ("pick", "ops/list/pick.md")],
        "Text": [("say", "ops/list/say.md")],
    }


def test_the_sections_stand_in_order(book: pages.Book) -> None:
    text = render(book).pages["builtins/double.md"]
    parts = [
        "[Builtin index](index.md) · [Arrays & more](index.md#arrays-more)",
        "# double",
        "result = double(x, [times=], [mask=], [eps=])",
        "[`x`](#input-x) (..., D) ·",
        "## What it is",
        "Doubles every entry.",
        "## Inputs and output",
        "`x`{ #input-x } (..., D) array",
        "## Overloads",
        "## Examples",
        "say(double([1]))",
        "```output\n[2.]\n2.0\n```",
        "from [The guide](../learn/guide.md)",
        "## How it works",
        "Twice x, because $x + x = 2x$.",
        "## Source {",
        "- `ShapeError`: mask does not fit.",
        "def double(",
        "## Comes from",
        "Arithmetic.",
    ]
    place = text.index("\n---\n")
    for part in parts:
        assert part in text[place:], part
        place = text.index(part, place)


def test_every_anchor_that_a_page_links_to_is_on_it(book: pages.Book) -> None:
    for text in render(book).pages.values():
        links = re.findall(r"\]\(#([\w-]+)\)", text)
        assert set(links) <= set(re.findall(r"\{[^}]*#([\w-]+)", text))


def test_the_index_has_every_builtin_under_its_category(book: pages.Book) -> None:
    text = render(book).pages["builtins/index.md"]
    arrays, texts = text.split("## Arrays & more { #arrays-more }")[1].split("## Text { #text }")
    assert "[`double`](double.md) Doubles every entry." in arrays
    assert "`result = pick(heads, head, [n=])`" in arrays
    assert "`result = pick(n)`" in arrays
    assert "[`say`](say.md)" in texts
    assert "3 builtins in 2 categories" in text


def test_mkdocstrings_is_asked_only_for_what_it_can_find(book: pages.Book) -> None:
    page = book.pages["double"]
    installed = dataclasses.replace(page, origin=dataclasses.replace(page.origin, module="my_ops", importable=True))
    shelf = dataclasses.replace(book, pages={"double": installed})
    assert "::: my_ops.double" in render(shelf, autodoc=True).pages["builtins/double.md"]
    assert "::: my_ops.double" not in render(shelf, autodoc=False).pages["builtins/double.md"]
    assert ":::" not in render(book, autodoc=True).pages["builtins/double.md"]


def test_a_builtin_called_index_does_not_take_the_place_of_the_index(book: pages.Book) -> None:
    page = dataclasses.replace(book.pages["double"], name="index")
    rendered = render(dataclasses.replace(book, pages={"index": page}))
    assert set(rendered.pages) == {"builtins/index.md", "builtins/index-builtin.md"}
    assert "(index-builtin.md)" in rendered.pages["builtins/index.md"]


def test_categories_that_look_alike_have_anchors_of_their_own(book: pages.Book) -> None:
    alike = {
        "double": dataclasses.replace(book.pages["double"], category="A & B"),
        "say": dataclasses.replace(book.pages["say"], category="A / B"),
    }
    anchors = re.findall(r"^## .* \{ #(\S+) \}", render(pages.Book(alike)).pages["builtins/index.md"], re.MULTILINE)
    assert len(set(anchors)) == 2


def test_blank_lines_in_code_stay(book: pages.Book) -> None:
    example = dataclasses.replace(book.pages["double"].examples[0], code="a = 1\n\n\n\nsay(a)\n")
    page = dataclasses.replace(book.pages["double"], examples=(example,))
    text = render(dataclasses.replace(book, pages={"double": page})).pages["builtins/double.md"]
    assert "a = 1\n\n\n\nsay(a)" in text
    assert "\n\n\n" not in text.replace("a = 1\n\n\n\n", "")


def test_a_fence_is_longer_than_any_in_it() -> None:
    assert fence("x\n", "qu") == "```qu\nx\n```"
    assert fence("````text\n````\n", "markdown") == "`````markdown\n````text\n````\n`````"


def test_the_list_of_numpy_functions_is_the_table_of_rules() -> None:
    text = differentiable_numpy()
    for names in supported().values():
        assert all(f"- `{name}`" in text for name in names)
    assert text.count("- `np.") == sum(map(len, supported().values()))


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


def test_the_worker_writes_nothing_but_json_to_standard_output(write: Write, tmp_path: Path) -> None:
    source = 'import os, sys\nprint("hello from Python")\nos.write(1, b"hello from C\\n")\n'
    write("loud.py", source + "from opbook import hookimpl\n@hookimpl\ndef opbook_builtins():\n    return []\n")
    request = {
        "plugins": [str(tmp_path / "loud.py")],
        "docs": str(tmp_path),
        "guides": [],
        "folder": "builtins",
        "autodoc": False,
        "fragments": ["differentiable-numpy"],
        "verify": False,
    }
    finished = subprocess.run(
        [sys.executable, "-m", "opbook.pages"], input=json.dumps(request), capture_output=True, text=True, check=True
    )
    answer = json.loads(finished.stdout)
    assert "hello from Python" in finished.stderr
    assert "hello from C" in finished.stderr
    assert answer["index"] == "builtins/index.md"
    assert "np.exp" in answer["fragments"]["differentiable-numpy"]
    assert str(tmp_path / "loud.py") in answer["watch"]


def test_the_worker_says_what_is_wrong_with_a_plugin_file(write: Write, tmp_path: Path) -> None:
    from opbook.pages.worker import answer

    assert "there is no reference text 'nope'" in answer(_request(tmp_path, fragments=["nope"]))["failures"][0]


def _request(docs: Path, **changes: object) -> dict[str, object]:
    return {
        "plugins": [],
        "docs": str(docs),
        "guides": [],
        "folder": "b",
        "autodoc": False,
        "fragments": [],
        "verify": False,
    } | changes

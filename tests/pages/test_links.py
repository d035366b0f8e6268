"""Which builtins a builtin is made of, and links in its texts."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from opbook import pages
from opbook.pages.dependencies import dependencies
from opbook.pages.links import broken, lacks
from opbook.pages.rendering import render
from opbook.pages.site_options import SiteOptions
from opbook.plugins.catalogue import Catalogue, catalogue, load

Write = Callable[[str, str], Path]

HEAD = """
import opbook.ops
from opbook import Array, builtin, hookimpl


@builtin(category="A")
def part(x: Array["N"]) -> Array["N"]:
    "A part."
    return 2 * x


@builtin(category="A")
def size(x: Array["N"]) -> Array["N"]:
    "Another."
    return 3 * x


def helper(x):
    return part(x)


@hookimpl
def opbook_builtins():
    return [part, size, whole]

"""

BODIES = {
    "calls it": ("return part(x)", ["part"]),
    "takes its definition": ("return part.definition(x)", ["part"]),
    "calls a helper that calls it": ("return helper(x)", ["part"]),
    "calls it in an inner function": ("def inner(y):\n        return part(y)\n    return inner(x)", ["part"]),
    "imports it from opbook.ops": ("from opbook.ops import part as p\n    return p(x)", ["part"]),
    "finds it in opbook.ops": ("return opbook.ops.part(x)", ["part"]),
    "calls two": ("return part(x) + size(x)", ["part", "size"]),
    "has an attribute of that name": ("return x + x.size", []),
    "has a variable of that name": (
        "size = x.size\n    def inner():\n        return size\n    return x + inner()",
        [],
    ),
    "has an argument of that name": ("def inner(part):\n        return part\n    return inner(x)", []),
    "calls itself": ("return x if x.size < 2 else whole(x[1:])", []),
}


@pytest.mark.parametrize("body", BODIES)
def test_uses_are_found_in_the_code(write: Write, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    code, expected = BODIES[body]
    whole = f'@builtin(category="A")\ndef whole(x: Array["N"]) -> Array["N"]:\n    "The whole."\n    {code}\n'
    path = write("made_of.py", HEAD + whole)
    loaded = load([path])
    monkeypatch.setattr("opbook.ops.catalogue", lambda: loaded)
    assert list(dependencies(loaded).uses["whole"]) == expected


def test_rules_count_too(write: Write) -> None:
    whole = textwrap.dedent("""
        @builtin(category="A")
        def whole(x: Array["N"]) -> Array["N"]:
            "The whole."
            return 2 * x

        @whole.defvjp
        def _(x):
            return part(x), lambda g: (size(g),)
    """)
    loaded = load([write("made_of.py", HEAD + whole)])
    assert dependencies(loaded).uses["whole"] == ("part", "size")


def test_what_the_standard_plugins_are_made_of() -> None:
    found = dependencies(catalogue())
    assert found.uses["transformer_block"] == ("gelu", "layer_norm", "multi_head_attention", "relu", "silu")
    assert found.uses["attention_weights"] == ("softmax",)
    assert found.uses["layer_norm"] == ()
    assert "transformer_block" in found.used_by["layer_norm"]


@pytest.fixture
def failures(ops: Catalogue, write: Write, tmp_path: Path) -> Callable[..., list[str]]:
    """The broken links in the texts of a book, where the note of double has one more sentence."""

    def failures(note: str, left_out: tuple[str, ...] = (), example: str = "") -> list[str]:
        source = Path(ops["double"].source_file)
        source.write_text(source.read_text().replace("# A second paragraph,", f"# {note} A second paragraph,"))
        vars(ops["double"])["note"] = f"{note} A second paragraph, beside [`pick`](pick.md)."
        write("docs/learn/guide.md", "# A guide\n")
        write("examples.md", f"{example}\n\n```qu\nsay(double([1]))\nsay(pick(2))\n```\n\n```output\n[2.]\n2.0\n```\n")
        book = pages.build(ops)
        rendered = render(book, SiteOptions(folder="ops"))
        shown = {rendered.addresses.builtins[name]: page for name, page in book.pages.items()}
        return list(broken(shown, rendered.pages, {*rendered.pages, *left_out}, tmp_path / "docs"))

    return failures


@pytest.mark.parametrize(
    "note", ["[a](say.md)", "[a](../learn/guide.md#x)", "[a](index.md)", "[a](https://x.example/no.md)", "[a][b]"]
)
def test_links_to_pages_that_are_there_are_right(failures: Callable[..., list[str]], note: str) -> None:
    assert failures(note) == []


def test_a_link_to_a_page_that_is_left_out_is_right(failures: Callable[..., list[str]]) -> None:
    assert failures("[a](other.md)", ("ops/other.md",)) == []


def test_an_unknown_link_is_named_with_its_line_and_the_nearest_page(failures: Callable[..., list[str]]) -> None:
    (message,) = failures("[a](doubel.md)")
    file, line, rest = message.split(":", 2)
    assert "[a](doubel.md)" in Path(file).read_text().splitlines()[int(line) - 1]
    assert "double links to doubel.md, which is no page. Did you mean double.md" in rest
    assert "as seen from ops/" in rest


def test_an_unknown_link_in_the_text_of_an_example(failures: Callable[..., list[str]]) -> None:
    messages = failures("", example="See [that](nowhere.md).")
    assert messages
    assert all(message.startswith("examples.md:1: ") for message in messages)


def test_a_guide_of_a_plugin_names_pages_that_a_site_lacks() -> None:
    text = "[here](other.md), [there](../../reference/notation.md#a), [kept](../../learn/one.md), [typo](../reluu.md)"
    assert lacks(text, "builtins/guides/mine.md", {"learn/one.md"}, "builtins") == {"reference/notation.md"}

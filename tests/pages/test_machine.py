"""The files for machines."""

import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from opbook import pages
from opbook.pages.addresses import Addresses
from opbook.pages.machine import VERSION, builtins_json, inventory, links, llms_txt
from opbook.plugins.catalogue import Catalogue

ROOT = Path(__file__).parents[2]
Write = Callable[[str, str], Path]

EXAMPLE = "```qu\nsay(double([1]))\nsay(pick(2))\n```\n\n```output\n[2.]\n2.0\n```\n"


@pytest.fixture
def book(ops: Catalogue, write: Write) -> pages.Book:
    write("examples.md", EXAMPLE)
    return pages.build(ops)


def test_the_catalogue_as_json(book: pages.Book) -> None:
    text = builtins_json(book, Addresses(book, "ops"))
    assert text == builtins_json(book, Addresses(book, "ops"))
    whole = json.loads(text)
    assert whole["version"] == VERSION
    assert [entry["name"] for entry in whole["builtins"]] == ["double", "pick", "say"]
    double = whole["builtins"][0]
    assert (double["page"], double["category"], double["aliases"]) == ("ops/double/", "Arrays & more", ["twice"])
    assert double["calls"][0]["text"] == "result = double(x, [times=], [mask=], [eps=])"
    assert double["calls"][0]["inputs"][0] == {
        "name": "x",
        "shape": "(..., D) array",
        "optional": False,
        "default": "",
        "description": "The entries, on two lines.",
        "fields": {},
    }
    assert double["examples"][0]["output"] == "[2.]\n2.0\n"
    assert double["refuses"][0]["error"] == "InputError"
    assert (double["used_by"], double["formula"]) == (["pick"], "$$2x$$")
    assert whole["builtins"][1]["calls"][0]["inputs"][1]["fields"] == {
        "head.wq": "(D, K) matrix",
        "head.wo": "(K, D) matrix",
    }
    assert double["verification"] is None


def test_every_key_of_the_schema_is_documented(book: pages.Book) -> None:
    text = (ROOT / "docs/reference/machine-files.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(\w+)`", text))
    entry = json.loads(builtins_json(book, Addresses(book, "ops")))["builtins"][0]
    call = entry["calls"][0]
    parts = [entry, entry["plugin"], entry["source"], entry["examples"][0], entry["refuses"][0]]
    keys = {key for part in [*parts, call, call["inputs"][0], call["output"]] for key in part}
    assert keys <= documented
    assert f"now {VERSION};" in text


def test_the_overview_for_language_models(book: pages.Book, tmp_path: Path) -> None:
    guide = pages.Guide(tmp_path / "learn/guide.md", "learn/guide.md", "The guide")
    home = pages.Guide(tmp_path / "index.md", "index.md", "Home")
    text = llms_txt(book, Addresses(book, "ops"), [home, guide], "My ops", "Some ops.", "https://my.example/docs")
    lines = text.splitlines()
    assert lines[0] == "# My ops"
    assert lines[2] == "> Some ops."
    assert "## Arrays & more" in lines
    double = "`result = double(x, [times=], [mask=], [eps=])`. Doubles every entry."
    assert f"- [double](https://my.example/docs/ops/double/): {double}" in lines
    assert "- [The guide](https://my.example/docs/learn/guide/)" in lines
    assert "- [Home](https://my.example/docs/)" in lines
    relative = llms_txt(book, Addresses(book, "ops", directory_urls=False), [], "My ops", "", "")
    assert f"- [double](ops/double.html): {double}" in relative.splitlines()
    assert "\n> " not in relative


def test_the_inventory_has_each_builtin_as_a_function_and_as_a_label(book: pages.Book) -> None:
    content = inventory(links(book, Addresses(book, "ops")), "My ops")
    assert content == inventory(reversed(links(book, Addresses(book, "ops"))), "My ops")
    *header, body = content.split(b"\n", 4)
    assert header[0] == b"# Sphinx inventory version 2"
    assert header[1] == b"# Project: My ops"
    lines = zlib.decompress(body).decode().splitlines()
    assert "opbook.ops.double py:function 1 ops/double/#builtin-double double" in lines
    assert "builtin-double std:label 1 ops/double/#builtin-double double" in lines


def test_mkdocstrings_reads_the_inventory(book: pages.Book) -> None:
    from io import BytesIO

    library = pytest.importorskip("mkdocstrings", reason="it comes with the extra opbook[site]")
    read = library.Inventory.parse_sphinx(BytesIO(inventory(links(book, Addresses(book, "ops")), "My ops")))
    assert read["opbook.ops.pick"].uri == "ops/pick/#builtin-pick"
    assert read["builtin-pick"].role == "label"

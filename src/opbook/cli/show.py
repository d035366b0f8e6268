"""`opbook show`: a builtin's page in the terminal."""

import dataclasses
from typing import Any

import click

from opbook.cli.options import BuiltinName, json_option, with_samples
from opbook.cli.output import figure_text, print_json, print_markdown
from opbook.pages import BuiltinPage, build_one, shipped_guides
from opbook.plugins.catalogue import Catalogue


@click.command()
@click.argument("name", type=BuiltinName())
@json_option
@with_samples
def show(catalogue: Catalogue, name: str, as_json: bool) -> None:
    """Show the page of a builtin, with examples run now.

    \b
    Examples:
        opbook show layer_norm
        opbook show layer_norm --json
        opbook show my_op --plugin my_ops.py
    """
    book = build_one(name, catalogue, shipped_guides(catalogue))
    for failure in book.failures:
        click.echo(failure, err=True)
    shown = book.pages[name]
    if as_json:
        print_json(_as_json(shown))
        return
    from opbook.pages.rendering import render_plain  # here, as the template engine takes its time

    print_markdown(render_plain(book, name, figure_text))
    click.echo(f"{shown.origin.path}:{shown.origin.line}")  # never broken into lines, so that it can be copied


def _as_json(shown: BuiltinPage) -> dict[str, Any]:
    entry = dataclasses.asdict(shown)
    entry["sections"] = dict(shown.sections)
    del entry["groups"]
    entry["examples"] = [dataclasses.asdict(example) for example in shown.examples]
    for example, data in zip(shown.examples, entry["examples"], strict=True):
        data["figures"] = [
            {"kind": type(figure).__name__, "title": figure.title, "description": figure.description}
            for figure in example.figures
        ]
        data["frames"] = [{"name": one.name, "value": one.value, "printed": one.printed} for one in example.frames]
    return entry

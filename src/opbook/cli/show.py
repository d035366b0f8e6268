"""`opbook show`: a builtin's page in the terminal."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import click

from opbook.builtins.rule import OWN
from opbook.cli.options import BuiltinName, json_option, with_samples
from opbook.cli.output import print_code, print_columns, print_figure, print_json, print_line, print_markdown
from opbook.pages import BuiltinPage, Call, Gradient, Input, Origin, ShownExample, page, shipped_guides
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
    book = page(name, catalogue, shipped_guides(catalogue))
    for failure in book.failures:
        click.echo(failure.message, err=True)
    if as_json:
        print_json(_as_json(book.pages[name]))
    else:
        _print_page(book.pages[name])


def _as_json(shown: BuiltinPage) -> dict[str, Any]:
    entry = dataclasses.asdict(shown)
    entry["sections"] = dict(shown.sections)
    for example, data in zip(shown.examples, entry["examples"], strict=True):
        data["figures"] = [
            {"kind": type(figure).__name__, "title": figure.title, "description": figure.description}
            for figure in example.figures
        ]
    return entry


def _print_page(shown: BuiltinPage) -> None:
    print_line(f"{shown.name} · {shown.category}", "bold")
    for call in shown.calls:
        _print_call(call)
    _heading("What it is")
    print_markdown(shown.summary)
    if shown.description:
        print_line()
        print_markdown(shown.description)
    if shown.aliases:
        print_line()
        print_columns([("also known as", ", ".join(shown.aliases))], indent=0)
    _heading("Examples")
    for i, example in enumerate(shown.examples):
        if i:
            print_line()
        _print_example(example)
    if not shown.examples:
        print_line("There are none.")
    if shown.note:
        _heading("How it works")
        print_markdown(shown.note)
    if shown.properties:
        _heading("What is true of it")
        for sentence in shown.properties:
            print_line(f"- {sentence}")
    _heading("Gradient")
    _print_gradient(shown.gradient)
    if shown.uses or shown.used_by:
        _heading("Uses and used by")
        rows = [("uses", ", ".join(shown.uses)), ("used by", ", ".join(shown.used_by))]
        print_columns([row for row in rows if row[1]], indent=0)
    if shown.rules:
        _heading("Rules")
        print_columns(_rule_rows(shown), indent=0)
    for title, text in shown.sections.items():
        _heading(title)
        print_markdown(text)
    for section in shown.added_sections:
        _heading(section.title)
        print_markdown(section.text)
        print_line(f"added by {section.origin}", "dim")
    _heading("Where it comes from")
    print_line(_origin(shown.origin))
    click.echo(f"{shown.origin.path}:{shown.origin.line}")  # never broken into lines, so that it can be copied


def _rule_rows(shown: BuiltinPage) -> list[tuple[str, str]]:
    first = True
    rows = []
    for rule in shown.rules:
        when = ("asked first" if first else "asked next") if rule.asked else "not asked"
        rows.append((rule.name, f"{when}; from {rule.origin}, priority {rule.priority:g}"))
        first = first and not rule.asked
    return [*rows, (OWN, "asked first" if first else "asked where they have no answer")]


def _print_gradient(gradient: Gradient) -> None:
    if gradient.call:
        print_code(gradient.call, "python")
        print_line()
    print_markdown(gradient.words)
    if gradient.note:
        print_line()
        print_markdown(gradient.note)


def _heading(text: str) -> None:
    print_line()
    print_line(text, "bold")


def _print_call(call: Call) -> None:
    print_line()
    print_code(call.text)
    print_line()
    print_columns(row for one in call.inputs for row in _input_rows(one))
    if call.output.name:
        print_columns([(f"→ {call.output.name}", _sentence(call.output.shape, call.output.description))])


def _input_rows(one: Input) -> Iterator[tuple[str, str]]:
    shape = f"{one.shape}, {one.default} by default" if one.default else one.shape
    shape = f"{shape}, may be left out" if one.optional and not one.default else shape
    yield one.name, _sentence(shape, one.description)
    for field in one.fields:
        yield f"  {field.path}", field.shape


def _sentence(shape: str, description: str) -> str:
    return f"{shape}: {description}" if description else shape


def _print_example(example: ShownExample) -> None:
    if example.text:
        print_markdown(example.text)
        print_line()
    print_code(example.code.rstrip("\n"), example.language)
    print_line()
    if example.skipped:
        print_line(f"Not run: {example.skipped}", "dim")
    elif example.output:
        print_line("prints", "dim")
        print_code(example.output.rstrip("\n"))
    for figure in example.figures:
        print_figure(figure)
        print_line()
    print_line(f"from {example.place}", "dim")


def _origin(origin: Origin) -> str:
    instead = f", in place of that of {' and '.join(origin.replaces)}" if origin.replaces else ""
    if not origin.distribution:
        return f"plugin {origin.plugin}, one file{instead}"
    licence = f", licence {origin.licence}" if origin.licence else ""
    return f"plugin {origin.plugin}, from {origin.distribution} {origin.version}{licence}{instead}"

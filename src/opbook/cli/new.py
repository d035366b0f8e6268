"""`opbook new`: begin a plugin."""

from pathlib import Path

import click

from opbook.cli.options import json_option, with_catalogue
from opbook.cli.output import print_json, print_line
from opbook.plugins.catalogue import Catalogue


@click.command()
@click.argument("name")
@click.option("--one-file", is_flag=True, help="Make one file, NAME.py, instead of a distribution.")
@click.option(
    "--into",
    default=".",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where to make it, if not in the working directory.",
)
@json_option
@with_catalogue
def new(catalogue: Catalogue, name: str, one_file: bool, into: Path, as_json: bool) -> None:
    """Begin a plugin with a small op that works, to be replaced by your own.

    Makes the folder opbook-NAME: a package with the op, its rule and its examples, a test, a site, a workflow for CI
    and a pyproject.toml with the entry point. As made it passes opbook verify, pytest, ruff and opbook site build.
    Nothing is overwritten.

    \b
    Examples:
        opbook new soft-clip
        opbook new soft-clip --one-file
        opbook new soft-clip --into ~/plugins
    """
    from opbook.cli.scaffold import make_distribution, make_file, name_of

    # the op of a file may become a distribution's
    taken = {op for op in catalogue if not catalogue.plugin_of(op).source.is_file}
    word = name_of(name, taken)
    made = (make_file if one_file else make_distribution)(word, into)
    if as_json:
        print_json({"name": word, "path": made.path, "files": made.files, "next": made.next})
        return
    print_line(f"Made {made.path}" + ("" if one_file else f" with {len(made.files)} files."))
    for file in made.files:
        if not one_file:
            print_line(f"  {file}")
    print_line()
    print_line("Next:")
    for command in made.next:
        click.echo(f"  {command}")  # never broken into lines, so that it can be copied
    if not one_file:
        print_line()
        print_line(f"Then write your op in opbook_{word}/__init__.py; opbook site serve shows its page.")

"""`opbook stubs`: tell editors and type checkers about the builtins."""

from pathlib import Path

import click

from opbook.cli.options import with_catalogue
from opbook.cli.output import print_line
from opbook.plugins.catalogue import Catalogue


@click.command()
@click.option(
    "--output",
    default="typings",
    show_default=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of stubs.",
)
@with_catalogue
def stubs(catalogue: Catalogue, output: Path) -> None:
    """Write stub files for the builtins that are installed, for editors and type checkers.

    With them, from opbook.ops import NAME completes, shows its documentation, and is checked: names, arguments and
    their types, every call shape. Pyright and Pylance look into the folder typings by themselves; for mypy, set
    mypy_path = "typings". Write them again after a plugin was installed or changed.

    \b
    Examples:
        opbook stubs
        opbook stubs --output build/typings
        opbook stubs --plugin my_ops.py
    """
    from opbook.builtins.stubs import write_stubs

    folder = write_stubs(catalogue, output)
    print_line(f"Wrote {folder}/ops.pyi with {len(catalogue)} builtins.")
    pyright = "find it by themselves" if output == Path("typings") else f'find it with stubPath = "{output}"'
    print_line(f'Pyright and Pylance {pyright}; mypy finds it with mypy_path = "{output}".')

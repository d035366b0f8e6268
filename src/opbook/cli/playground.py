"""`opbook playground fetch`."""

from pathlib import Path

import click

from opbook.cli.errors import CHECK_FAILED
from opbook.cli.output import print_line


@click.group()
def playground() -> None:
    """Let the pages of a site run Python by themselves.

    \b
    Examples:
        opbook playground fetch
    """


@playground.command("fetch")
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="PLACE",
    help="A folder, an archive, or the address of either. May be given several times.",
)
@click.option(
    "-f",
    "--config-file",
    default="mkdocs.yml",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The site's configuration; the files go beside it.",
)
def fetch(sources: tuple[str, ...], config_file: Path) -> None:
    """Get Pyodide and its NumPy, about 17 MB, for sites that are built here from now on.

    Each file is known by its hash, so it does not matter where it comes from. Without --from, npm and pip are asked,
    with your settings of them; what they download may be 84 MB. The files go to .cache/opbook/playground beside the
    configuration. A file that is there already is not fetched again. Exits with 1 if some are missing then.

    \b
    Examples:
        opbook playground fetch
        opbook playground fetch --from ~/Downloads/pyodide-0.27.7.tar.bz2
    """
    from opbook.playground.files import FOLDER, PARTS
    from opbook.playground.gathering import gather, still_missing

    if not config_file.parent.is_dir():
        raise click.BadParameter(f"there is no folder {config_file.parent}", param_hint="--config-file")
    folder = config_file.parent / FOLDER
    for line in gather(folder, sources):
        print_line(line)
    problem = still_missing(folder)
    if problem:
        click.echo(f"opbook: {problem}", err=True)
        click.get_current_context().exit(CHECK_FAILED)
    print_line(f"All {len(PARTS)} files are in {folder}; sites that are built from {config_file} run Python.")

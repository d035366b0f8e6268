"""`opbook pages write`."""

from pathlib import Path

import click

from opbook.cli.errors import CHECK_FAILED
from opbook.cli.options import plugin_option
from opbook.cli.output import console, print_line


@click.group()
def pages() -> None:
    """Write the pages of the builtins as Markdown, for any site generator.

    \b
    Examples:
        opbook pages write build/docs
    """


@pages.command("write")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--docs",
    type=click.Path(exists=True, file_okay=False),
    metavar="FOLDER",
    help="Your own pages: their examples are run, and they are copied with what these draw.",
)
@click.option("--index", default="builtins", show_default=True, help="The folder of the generated pages.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this builtin, category, plugin or distribution.")
@click.option("--verify/--no-verify", default=True, show_default=True, help="Whether to run the checks.")
@plugin_option
def write_pages(
    folder: Path, docs: str | None, index: str, only: tuple[str, ...], verify: bool, plugin_files: tuple[str, ...]
) -> None:
    """Run all examples, and write the pages with figures, styles and scripts into a folder.

    What an earlier call has written there goes. Exits with 1 if an example fails, and then leaves the folder as it was.

    \b
    Examples:
        opbook pages write build/docs --docs docs
        opbook pages write build/docs --only my_op --plugin my_ops.py
    """
    from opbook.examples.collection import markdown_files
    from opbook.pages.site import make
    from opbook.pages.site_options import SiteOptions
    from opbook.pages.writing import write
    from opbook.playground.files import FOLDER, missing

    guides = tuple(map(str, markdown_files(docs))) if docs else ()
    options = SiteOptions(
        docs=docs or "",
        guides=guides,
        folder=index.strip("/"),
        plugins=plugin_files,
        only=only,
        verify=verify,
        playground="" if missing(FOLDER) else str(FOLDER),
    )
    with console(stderr=True).status("running examples and checks"):
        site = make(options)
    for message in (*site.warnings, *site.failures):
        click.echo(message, err=True)
    if site.failures:
        click.get_current_context().exit(CHECK_FAILED)
    write(site, options, folder)
    print_line(f"Wrote {len(site.pages) + len(site.documents)} pages to {folder}.")

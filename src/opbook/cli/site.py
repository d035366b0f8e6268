"""`opbook site build` and `opbook site serve`."""

import time
from pathlib import Path
from types import ModuleType

import click

from opbook.cli.errors import CHECK_FAILED, UserError
from opbook.cli.options import add_plugins, plugin_option
from opbook.cli.output import console, print_line


def _existing(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not Path(value).is_file():
        raise click.BadParameter(
            f"there is no file {value} here. Run this in the folder that has it, or name it; "
            "opbook new NAME makes a project with one.",
            context,
            parameter,
        )
    return value


_config_option = click.option(
    "-f",
    "--config-file",
    default="mkdocs.yml",
    show_default=True,
    callback=_existing,
    help="The site's configuration.",
)


@click.group()
def site() -> None:
    """Build the site, or serve it.

    \b
    Examples:
        opbook site build --site-dir /tmp/site
        opbook site serve --port 8001
    """


@site.command("build")
@_config_option
@click.option("--strict/--no-strict", default=True, show_default=True, help="Whether warnings are failures.")
@click.option("--site-dir", type=click.Path(file_okay=False), help="Where to build, if not where mkdocs.yml says.")
@plugin_option
def site_build(config_file: str, strict: bool, site_dir: str | None, plugin_files: tuple[str, ...]) -> None:
    """Run all examples and build the site with MkDocs.

    Exits with 1 if an example fails or the build gives a warning.

    \b
    Examples:
        opbook site build
        opbook site build --no-strict --site-dir /tmp/site
    """
    mkdocs = _adapter()
    add_plugins(plugin_files)
    start = time.monotonic()
    try:
        with console(stderr=True).status("building the site"):
            folder = mkdocs.build(config_file, site_dir, strict)
    except mkdocs.SiteError as error:
        click.echo(f"opbook: {error}", err=True)
        click.get_current_context().exit(CHECK_FAILED)
    print_line(f"Built {folder} in {time.monotonic() - start:.1f} s.")


_port_option = click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="The port, which only this machine sees.",
)


@site.command("serve")
@_config_option
@_port_option
@plugin_option
def site_serve(config_file: str, port: int, plugin_files: tuple[str, ...]) -> None:
    """Serve the site, and build it again at every change of a page or a plugin.

    The address is printed; Ctrl-C ends it.

    \b
    Examples:
        opbook site serve
        opbook site serve --port 8001
    """
    mkdocs = _adapter()
    add_plugins(plugin_files)
    mkdocs.serve(config_file, f"127.0.0.1:{port}")


def _adapter() -> ModuleType:
    """Import what drives MkDocs, or say what to install."""
    try:
        import mkdocs  # noqa: F401 - asked for before all else, because without it nothing can be said about the site

        import opbook.mkdocs
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("opbook"):
            raise
        raise UserError(f'opbook: the site needs {error.name}: pip install "opbook[site]"') from None
    return opbook.mkdocs

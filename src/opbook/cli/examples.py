"""`opbook examples`: check the outputs that pages show, or rewrite them."""

from collections import Counter
from pathlib import Path

import click

from opbook.cli.errors import CHECK_FAILED, UserError
from opbook.cli.options import with_catalogue
from opbook.cli.output import console, print_line
from opbook.examples import Result
from opbook.plugins.catalogue import Catalogue

DEFAULT_PATHS = ("docs", "plugins", "README.md")


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
@click.option("--check/--update", "check_only", default=True, help="Compare the outputs (default), or rewrite them.")
@with_catalogue
@click.pass_context
def examples(context: click.Context, catalogue: Catalogue, paths: tuple[str, ...], check_only: bool) -> None:
    """Run the examples of Markdown pages and compare what they print with the output that the page shows.

    PATHS are files and folders; without them, docs, plugins and README.md of the working directory, and the examples
    and guides of the plugins in it.

    \b
    Examples:
        opbook examples
        opbook examples docs/learn/statistics-ml.md
        opbook examples --update plugins/layer_norm
    """
    paths = paths or (*(path for path in DEFAULT_PATHS if Path(path).exists()), *_of_plugins(catalogue))
    if not paths:
        raise UserError(f"opbook: none of {', '.join(DEFAULT_PATHS)} is in this folder; name the pages to look at")
    results, exercises = _run(catalogue, paths, check_only)
    for result in (*results, *exercises):
        if result.status == "failed":
            print_line(result.message)
            print_line()
    if results or not exercises:
        print_line(_summary(results, paths, "example"))
    if exercises:
        print_line(_summary(exercises, paths, "exercise"))
    if any(result.status == "failed" for result in (*results, *exercises)):
        context.exit(CHECK_FAILED)


def _of_plugins(catalogue: Catalogue) -> list[str]:
    """The pages of plugins whose source is in the working directory, but for those that are found there anyway."""
    from opbook.examples.collection import EXAMPLES_PAGE, pages

    here = Path.cwd()
    found = {page.resolve() for page in pages(path for path in DEFAULT_PATHS if Path(path).exists())}
    loaded = [Path(info.path) for info in catalogue.plugins if info.path and info.state == "loaded"]
    beside = [path.with_name(EXAMPLES_PAGE) for path in loaded]
    files = [*beside, *(file for info in catalogue.plugins for file in info.documents)]
    mine = {file.resolve() for file in files if file.is_file()} - found
    return sorted(
        str(file.relative_to(here)) for file in mine if file.is_relative_to(here) and "site-packages" not in file.parts
    )


def _run(catalogue: Catalogue, paths: tuple[str, ...], check_only: bool) -> tuple[list[Result], list[Result]]:
    """The results of the examples, and those of the exercises."""
    from opbook.examples import pages, run_pages, update
    from opbook.exercises import prove_pages

    run = run_pages if check_only else update
    results: list[Result] = []
    exercises: list[Result] = []
    with console(stderr=True).status("") as status:  # is silent where standard error is no terminal
        for page in pages(paths):
            status.update(f"{page}")
            results += run([page], catalogue)
            exercises += prove_pages([page])
    return results, exercises


def _summary(results: list[Result], paths: tuple[str, ...], noun: str) -> str:
    if not results:
        return f"no examples in {', '.join(paths)}"
    found = Counter(result.status for result in results)
    counts = ", ".join(
        f"{found[status]} {status}" for status in ("passed", "updated", "failed", "skipped") if found[status]
    )
    return f"{len(results)} {noun}{'s' if len(results) != 1 else ''}: {counts}"

"""`opbook run`, `opbook eval` and `opbook repl`: programs of the qu notation."""

import sys

import click

import opbook
from opbook.builtins.formatting import format_value
from opbook.cli.options import read_text, with_catalogue
from opbook.cli.output import print_line
from opbook.plugins.catalogue import Catalogue


@click.command("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@with_catalogue
def run_file(catalogue: Catalogue, file: str) -> None:
    """Run a program of the qu notation from FILE, or from standard input if FILE is -.

    Only what the program prints is shown.

    \b
    Examples:
        opbook run attention.qu
        echo 'print("{2 + 3}")' | opbook run -
        opbook run --plugin my_ops.py attention.qu
    """
    from opbook.notation import Session
    from opbook.notation.guard import limited_memory

    with limited_memory():
        Session(catalogue).run(read_text(file), "<stdin>" if file == "-" else file)


@click.command("eval", context_settings={"ignore_unknown_options": True})  # a text may begin with a minus
@click.argument("text")
@with_catalogue
def eval_text(catalogue: Catalogue, text: str) -> None:
    """Run TEXT, a program of the qu notation, or what standard input has if TEXT is -.

    What the program prints is shown, and behind it the value of its last expression.

    \b
    Examples:
        opbook eval "[1, 2; 3, 4] @ [5, 6]"
        opbook eval "x = [1, 2, 3]; layer_norm(x, [1, 1, 1], [0, 0, 0])"
        echo "2 + 3" | opbook eval -
    """
    from opbook.notation import Session
    from opbook.notation.guard import limited_memory

    with limited_memory():
        value = Session(catalogue).run(*((read_text("-"), "<stdin>") if text == "-" else (text, "<text>")))
    if value is not None:
        click.echo(format_value(value))


@click.command()
@with_catalogue
def repl(catalogue: Catalogue) -> None:
    """Type expressions and see their values; Tab completes names, Ctrl-D leaves.

    \b
    Examples:
        opbook repl
        opbook repl --plugin my_ops.py
    """
    from opbook.notation import Session
    from opbook.notation.guard import limited_memory
    from opbook.notation.repl import run_repl

    if sys.stdin.isatty():
        print_line(f"opbook {opbook.__version__}, {len(catalogue)} builtins. help says what to type; Ctrl-D leaves.")
    with limited_memory():
        run_repl(Session(catalogue))

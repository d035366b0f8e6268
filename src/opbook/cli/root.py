"""The group of all commands."""

import click

import opbook
from opbook.cli.compare import compare
from opbook.cli.doctor import doctor
from opbook.cli.examples import examples
from opbook.cli.group import Root
from opbook.cli.listing import list_builtins
from opbook.cli.new import new
from opbook.cli.options import add_plugins, plugin_option
from opbook.cli.pages import pages
from opbook.cli.playground import playground
from opbook.cli.plugins import plugins
from opbook.cli.programs import eval_text, repl, run_file
from opbook.cli.show import show
from opbook.cli.site import site
from opbook.cli.stubs import stubs
from opbook.cli.timing import time_rules
from opbook.cli.verify import verify


@click.group(
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="opbook COMMAND --help shows examples of a command.",
)
@plugin_option
@click.version_option(opbook.__version__, prog_name="opbook")
def main(plugin_files: tuple[str, ...]) -> None:
    """A book of array operations: look builtins up, run examples, build the site.

    Start with

    \b
        opbook list
        opbook show layer_norm
        opbook eval "layer_norm([1, 2, 3], [1, 1, 1], [0, 0, 0])"

    Exit codes: 0 for success, 1 for a check that failed, 2 for a wrong command or input, 3 for an error in opbook or a
    plugin.
    """
    add_plugins(plugin_files)


_COMMANDS = (
    list_builtins,
    show,
    run_file,
    eval_text,
    repl,
    time_rules,
    plugins,
    doctor,
    new,
    examples,
    verify,
    compare,
    stubs,
    pages,
    playground,
    site,
)
for _command in _COMMANDS:
    main.add_command(_command)

"""What a shell sees: exit codes, streams, help, and never a traceback."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

import opbook as package
from opbook.cli import main


def commands(group: click.Group = main, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*prefix, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))


def shell(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "opbook", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **settings},
    )


def test_the_commands_are_those_that_are_promised():
    promised = ["list", "show", "run", "eval", "repl", "plugins", "examples", "site"]
    assert set(promised) <= set(main.commands)
    assert {("site", "build"), ("site", "serve")} <= set(commands())


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_help_says_what_a_command_does_and_shows_an_example(opbook, command):
    result = opbook(*command, "--help")
    assert result.exit_code == 0
    _, described, examples = result.stdout.partition("Examples:")
    assert described
    assert f"opbook {' '.join(command)}" in examples
    first = result.stdout.splitlines()[2].strip()
    assert len(first) > 20


def test_the_examples_in_the_help_of_eval_work(opbook):
    lines = [line.strip() for line in opbook("eval", "--help").stdout.splitlines()]
    examples = [shlex.split(line)[1:] for line in lines if line.startswith("opbook eval")]
    assert len(examples) >= 2
    for example in examples:
        assert opbook(*example).exit_code == 0


def test_version(opbook):
    assert opbook("--version").stdout == f"opbook, version {package.__version__}\n"


@pytest.mark.parametrize("arguments", [["nope"], ["list", "--nope"], ["show"], ["run", "a", "b"], ["eval"]])
def test_wrong_usage_exits_2(opbook, arguments):
    result = opbook(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr


def test_a_plugin_file_that_is_not_there_exits_2(opbook):
    result = opbook("list", "--plugin", "nothing_here.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nothing_here.py' does not exist" in result.stderr


def test_strict_loading_turns_a_broken_plugin_into_an_error(opbook, broken_plugin, monkeypatch):
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    result = opbook("list", "--plugin", broken_plugin)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no_such_module_at_all" in result.stderr


def raising(error: BaseException):
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_an_unexpected_error_is_two_lines_and_exit_code_3(opbook, monkeypatch):
    monkeypatch.setattr("opbook.cli.listing.print_columns", raising(KeyError("surprise")))
    result = opbook("list")
    assert result.exit_code == 3
    assert result.stderr.splitlines()[0] == "opbook: KeyError: 'surprise'"
    assert "OPBOOK_DEBUG=1" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_traceback_is_there_for_those_who_ask(opbook, monkeypatch):
    monkeypatch.setattr("opbook.cli.listing.print_columns", raising(KeyError("surprise")))
    monkeypatch.setenv("OPBOOK_DEBUG", "1")
    result = opbook("list")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr


def test_an_interrupt_exits_130(opbook, monkeypatch):
    monkeypatch.setattr("opbook.cli.listing.print_columns", raising(KeyboardInterrupt()))
    assert opbook("list").exit_code == 130


def test_the_exit_code_and_the_streams_of_a_process():
    run = shell("show", "layer_nrom")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("opbook: there is no builtin layer_nrom. Did you mean layer_norm?")


def test_a_reader_that_leaves_early_is_no_matter():
    with subprocess.Popen(
        [sys.executable, "-m", "opbook", "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_an_encoding_without_the_characters_is_no_matter():
    run = shell("show", "layer_norm", PYTHONIOENCODING="ascii")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("Builtin index ")


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_a_missing_extra_says_what_to_install(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from opbook.__main__ import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr == f'opbook: the command line needs {missing}: pip install "opbook[cli]"\n'


def in_a_pipe(command: str) -> subprocess.CompletedProcess[str]:
    line = command.replace("opbook", f"{shlex.quote(sys.executable)} -m opbook", 1)
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True)


@pytest.mark.skipif(os.name == "nt", reason="needs a Unix shell")
@pytest.mark.parametrize(
    "command",
    ["opbook list | true", "opbook list >&-", "opbook eval 1 >&-", "opbook run <(yes 'print(1)' | head -2000) | true"],
)
def test_a_reader_that_has_left_is_no_reason_for_a_word(command):
    assert in_a_pipe(command).stderr == ""


def test_names_of_builtins_are_completed():
    environment = {"_OPBOOK_COMPLETE": "bash_complete", "COMP_WORDS": "opbook show layer_", "COMP_CWORD": "2"}
    program = "from opbook.cli import main; main(prog_name='opbook')"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert run.stdout.split() == ["plain,layer_norm"]

import pytest

from opbook.notation import Session
from opbook.notation.parser import is_unfinished
from opbook.notation.repl import complete, run_repl


def talk(session, *lines):
    """Type lines (or raise errors) and collect what was shown, with the prompts that were asked for."""
    given, prompts, shown = iter(lines), [], []

    def read(prompt):
        prompts.append(prompt)
        line = next(given, EOFError())
        if isinstance(line, BaseException):
            raise line
        return line

    run_repl(session, read=read, write=shown.append)
    return shown, prompts


def test_values_are_echoed_and_assignments_are_not(session):
    shown, _ = talk(session, "x = [1, 2; 3, 4]", "x'", '"text"', "", "# comment", "1 > 2")
    assert shown == ["[1, 3; 2, 4]", "text", "false", ""]


def test_print_is_shown_once(session, capsys):
    shown, _ = talk(session, "print(3)")
    assert shown == [""]
    assert capsys.readouterr().out == "3\n"


def test_lines_are_joined_while_a_bracket_is_open(session):
    shown, prompts = talk(session, "x = [1, 2;", "", "3, 4]", "x")
    assert shown == ["[1, 2; 3, 4]", ""]
    assert prompts == ["qu> ", "... ", "... ", "qu> ", "qu> "]


def test_mistakes_do_not_end_the_session(session):
    shown, _ = talk(session, "nobody", 'print("a', "[1, 2)", "zeros(1000, 1000)", "1 + 1")
    assert shown[0].startswith("<input>:1:1: nothing is named nobody")
    assert "never closed" in shown[1]
    assert "never closed" in shown[2]
    assert "too large to print" in shown[3]
    assert shown[4:] == ["2", ""]


def test_ctrl_c_drops_the_line(session):
    shown, prompts = talk(session, "x = [1,", KeyboardInterrupt(), "1 + 1")
    assert shown == ["", "2", ""]
    assert prompts == ["qu> ", "... ", "qu> ", "qu> "]


def test_ctrl_c_ends_a_program_but_not_the_session():
    def wait():
        raise KeyboardInterrupt

    shown, _ = talk(Session({"wait": wait}), "wait()", "1")
    assert shown == ["interrupted", "1", ""]


def test_ctrl_d_in_an_open_line_shows_what_is_open(session):
    shown, _ = talk(session, "x = [1,", EOFError(), "2")
    assert "the [ opened here is never closed" in shown[0]
    assert shown[1:] == ["2", ""]


def test_help_and_quit(session):
    shown, prompts = talk(session, "help", " quit ", "1")
    assert len(shown) == 1
    assert "Ctrl-D" in shown[0]
    assert "layer_norm" in shown[0]
    assert len(prompts) == 2


def test_help_and_quit_can_be_names(session):
    shown, _ = talk(session, "quit = 1", "help = 2", "quit", "help")
    assert shown == ["1", "2", ""]


def test_completion():
    session = Session({"layer_norm": abs, "log": abs, "sum": abs})
    session.run("long = 1")
    assert [complete(session, "lo", i) for i in range(3)] == ["log", "long", None]
    assert complete(session, "x", 0) is None


def test_readline_is_left_as_it_was(session, monkeypatch):
    readline = pytest.importorskip("readline")
    before = (readline.get_completer(), readline.get_completer_delims())
    seen = []

    def typed(prompt):
        seen.append(readline.get_completer()("laye", 0))
        raise EOFError

    monkeypatch.setattr("builtins.input", typed)
    run_repl(session, write=lambda text: None)
    assert seen == ["layer_norm"]
    assert (readline.get_completer(), readline.get_completer_delims()) == before


def test_a_long_matrix_is_not_read_anew_at_every_line(session, monkeypatch):
    reads = []

    def counting(source):
        reads.append(source)
        return is_unfinished(source)

    monkeypatch.setattr("opbook.notation.repl.is_unfinished", counting)
    rows = [f"  [{i}, 2];" for i in range(300)]
    shown, _ = talk(session, "x = [", *rows, "  [1, 2]]", "shape(x)")
    assert shown == ["(301, 2)", ""]
    assert len(reads) <= 3


def test_brackets_in_texts_and_comments_are_none(session):
    shown, _ = talk(session, 'x = ("]",', '"(")', "x", "y = (1, # )", "2)", "y")
    assert shown == ['("]", "(")', "(1, 2)", ""]

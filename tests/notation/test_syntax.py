"""What stands where it should not: the place, the words and the suggestion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opbook.errors import NotationError
from opbook.notation import Session
from opbook.notation.parser import is_unfinished, parse
from opbook.notation.source import Source

CASES = [
    ("x = [1, 2", "1:5", "the [ opened here is never closed", "Close it with ]."),
    ("x = [1, 2\ny = 3\nz = [1]", "1:5", "the [ opened here is never closed", "Close it with ]."),
    ("f(x,\n  y\nz = 3", "1:2", "the ( opened here is never closed", "Close it with )."),
    ("x = (1, 2]", "1:5", "the ( opened here is never closed", "Close it with )."),
    ("r = {a = (1, 2\n}", "1:10", "the ( opened here is never closed", "Close it with )."),
    ("x)", "1:2", "this ) closes nothing", ""),
    (
        'print("abc)\nprint("b")',
        "1:7",
        "the text that begins here is never closed",
        'Text ends with " on its own line.',
    ),
    ('"a\\', "1:1", "the text that begins here is never closed", 'Text ends with " on its own line.'),
    ('print("a {x")', "1:10", "the { opened here is never closed", "Close it with }, or write {{ for a brace in text."),
    ('print("{sum(x}")', "1:12", "the ( opened here is never closed", "Close it with ), or write {{"),
    ('"a{}"', "1:4", "a value is missing before `}`", "Write {{ for a brace in text."),
    (r'"a\q"', "1:3", r"\q means nothing in text", r"There are \" \\ \n \t \r \{ and \}."),
    ("1 +", "1:4", "the line ends here, but a value is missing", "A line continues only inside brackets."),
    ("1 +\n2", "1:4", "the line ends here, but a value is missing", "A line continues only inside brackets."),
    ("x = ", "1:4", "the line ends here, but a value is missing", ""),
    ("= 3", "1:1", "a value is missing before `=`", ""),
    ("x = 1 + * 2", "1:9", "a value is missing before `*`", ""),
    ("x ** 2", "1:4", "a value is missing before `*`", "A power is written ^."),
    ("a += 1", "1:4", "a value is missing before `=`", "Write x = x + ..."),
    ("a .^ b", "1:4", "a name is missing before `^`", "^ is already elementwise."),
    ("2x", "1:2", "an operator is missing before `x`", "To multiply, write 2 * x"),
    ("a b", "1:3", "a new line or an operator is missing before `b`", ""),
    ("f(2 3)", "1:5", "a comma or an operator is missing before `3`", ""),
    ("r = {a = 1\n     b = 2}", "1:11", "a comma or an operator is missing at the end of this line", ""),
    ("f('a')", "1:3", "a value is missing before `'`", 'Text is written in double quotes: "text".'),
    ("a < b < c", "1:7", "comparisons can't be chained", "Write a < b and b < c."),
    ("x[1]", "1:2", "an operator is missing before `[`", "The notation has no indexing"),
    ("x = 1, 2", "1:6", "a comma can't stand here", "A tuple needs parentheses: (a, b)"),
    ("f(x; y)", "1:4", "; separates rows, and only inside [ ]", "Write a comma."),
    ('"a{x = 3}"', "1:6", "= can't stand here", "To compare, write ==."),
    ("[1,,2]", "1:4", "a value is missing before `,`", ""),
    ("{1, 2}", "1:2", "a name is missing before `1`", "A record is written {name = value}."),
    ("if a 3", "1:6", "`then` is missing before `3`", "Write: if CONDITION then VALUE else VALUE"),
    ("if a then 3", "1:12", "the line ends here, but `else` is missing", "Write: if CONDITION"),
    ("a then", "1:3", "`then` has no if before it", "Write: if CONDITION"),
    ("then = 3", "1:1", "`then` is a word of the notation and can't be a name", ""),
    ("r.if", "1:3", "`if` is a word of the notation and can't be a name", ""),
    ("f(nan = 1)", "1:3", "`nan` is a word of the notation and can't be a name", ""),
    ("import os", "1:1", "the notation has no `import`", ""),
    ("a && b", "1:3", "`&` can't stand here", "Write and."),
    ("!a", "1:1", "a value is missing before `!`", "Write not"),
    ("x $ y", "1:3", "`$` can't stand here", ""),
    (
        "f(x)(y) = 3",
        "1:1",
        "only a name, or a name with its parameters as in f(x, y), can stand before =",
        "To compare",
    ),
    ("[a, b] = 3", "1:1", "only a name", "To compare, write ==."),
    ("f(1) = 2", "1:3", "a parameter must be a plain name", ""),
    ("f(x = 1) = 3", "1:7", "a parameter has no default value", "Give every parameter as a plain name"),
    ("f(x, x) = 2", "1:6", "the parameter x is named twice", ""),
    ("{a = 1, a = 2}", "1:9", "the field a is given twice", ""),
    ("f(a = 1, a = 2)", "1:10", "the argument a is given twice", ""),
    ("f(x = 1, 2)", "1:10", "an argument without a name can't come after one with a name", ""),
]


@pytest.mark.parametrize(("program", "place", "message", "hint"), CASES, ids=[case[0] for case in CASES])
def test_syntax_errors(fail, program, place, message, hint):
    lines = fail(program).splitlines()
    assert lines[0].startswith(f"<input>:{place}: {message}")
    line, column = map(int, place.split(":"))
    assert lines[1] == "  " + program.splitlines()[line - 1].rstrip()
    assert lines[2] == " " * (column + 1) + "^"
    if hint:
        assert lines[3].startswith(hint)


def test_the_caret_stands_under_its_place_behind_wide_characters_and_tabs(fail):
    assert fail('x = "日本" + )').splitlines()[2] == " " * 15 + "^"
    assert fail("\t\t1 + * 2").splitlines()[2] == "  \t\t    ^"


def test_long_lines_are_shown_in_part(fail):
    lines = fail("x = " + "1 + " * 100 + "* 2").splitlines()
    assert lines[1].startswith("  ...")
    assert len(lines[1]) < 120
    assert lines[1][lines[2].index("^")] == "*"


def test_a_hint_is_not_taken_from_another_line(fail):
    assert "multiply" not in fail("r = {a = 1\n     b = 2}")


@pytest.mark.parametrize("text", ["[1", "f(", "{a = (1,\n", "(1 +", "x = [1, 2;"])
def test_open_brackets_are_unfinished(text):
    assert is_unfinished(Source(text, ""))


@pytest.mark.parametrize("text", ["", "1", "1 +", '"abc', 'print("a', "(1]", "[1 2", '"{f(', "x)"])
def test_what_another_line_cannot_mend_is_not(text):
    assert not is_unfinished(Source(text, ""))


def outcome(action):
    """Do something that may fail in one way only."""
    try:
        action()
    except NotationError as error:
        return str(error)
    return "t: fine"


PIECES = ["x", "f", "1", "2.5", '"', "{", "}", "(", ")", "[", "]", ",", ";", "=", "==", "<", "+", "*", ".*", "^", "'"]
PIECES += [" ", "\n", "if ", " then ", " else ", " and ", "not ", ".", "\\", "#", "é", "{{", "true"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_whatever_the_text_only_notation_errors_come_out(text):
    message = outcome(lambda: parse(Source(text, "t")))
    assert message.startswith("t:")
    assert len(message.splitlines()) <= 4


@given(st.text(max_size=40))
def test_any_text_at_all(text):
    assert outcome(lambda: Session({}).run(text)).startswith(("t:", "<input>:"))

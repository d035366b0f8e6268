import threading
from typing import Any

import numpy as np
import pytest
from transformer_program import PRINTED, PROGRAM

from opbook.errors import InputError, NotationError, OpbookError
from opbook.notation import Limits, Session


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_example_of_the_attention_pages_prints_its_four_lines(session, capsys, newline):
    session.run("\ufeff" + PROGRAM.replace("\n", newline))
    assert capsys.readouterr().out == PRINTED


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("", None),
        ("# nothing\n\n;;", None),
        ("1; 2", 2),
        ("1\nx = 2", 1),
        ("x = 2 # two\ny = x + 1; y", 3),
        ("(\n 1 +\n 2 # three\n)", 3),
        ("1\nprint(2)", None),
    ],
)
def test_the_value_is_that_of_the_last_bare_expression(run, program, value):
    assert run(program) == value


def test_definitions_persist_and_survive_a_mistake(session):
    session.run("x = 2")
    with pytest.raises(NotationError):
        session.run("y = 3; nobody")
    assert session.run("x + y") == 5


def test_a_program_with_a_syntax_error_does_not_begin(session, capsys):
    with pytest.raises(NotationError):
        session.run("print(1)\nx = [1")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (r'"a \"b\" \\ \n\t{{}} \{\} }"', 'a "b" \\ \n\t{} {} }'),
        ('x = [1, 2]; "x is {x}, its sum {sum(x)}"', "x is [1, 2], its sum 3"),
        ('"{"{1 + 1}"}{"}"}"', "2}"),
        ('"# no comment: {1 > 2}"', "# no comment: false"),
        ('"{ {a = "b"} }"', '{a = "b"}'),
        ('"{{{1}}}"', "{1}"),
        ('"{("a", 1.5)}"', '("a", 1.5)'),
        ('""', ""),
        ('"日本 {1} é"', "日本 1 é"),
    ],
)
def test_text(run, program, text):
    assert run(program) == text


def test_records_and_tuples_reach_python_as_dict_and_tuple(run):
    (args, kwargs) = run('arguments({a = 1, b = (2,),}, (), true, "t", c = [1, 2], d = 3,)')
    record, empty, *rest = args
    assert record == {"a": 1, "b": (2,)}
    assert type(record) is dict
    assert empty == ()
    assert rest == [True, "t"]
    assert kwargs["d"] == 3
    assert kwargs["c"].dtype == np.float64


def test_fields_calls_of_any_value_and_chains(run):
    assert run("r = {a = {b = sum}}; r.a.b([1, 2])") == 3
    assert run("f(x) = x ^ 2; grad(f)(3)") == 6
    assert run("{a = 1}.a") == 1


def test_names_hide_builtins_from_their_definition_on(run, fail):
    assert run("sum = sum([1, 2]); sum") == 3
    assert run("f(sum) = sum + 1; f(1)") == 2
    assert run("sum(x) = 7; sum(1)") == 7
    message = fail("sum = 3; sum([1, 2])")
    assert "sum is the number 3 and can't be called" in message
    assert "Your own sum hides the builtin sum; give yours another name." in message


def test_a_builtins_error_is_shown_where_it_was_called(session):
    with pytest.raises(NotationError) as caught:
        session.run("x = 1\ny = 2 + root(-4)", "lesson.qu")
    assert str(caught.value).splitlines() == [
        "lesson.qu:2:9: root: x must not be negative, but is -4",
        "  y = 2 + root(-4)",
        "          ^",
    ]
    assert isinstance(caught.value.__cause__, InputError)
    assert isinstance(caught.value, OpbookError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("no"), "f failed: ValueError: no"),
        (ZeroDivisionError("division by zero"), "f failed: ZeroDivisionError: division by zero"),
        (MemoryError(), "there is not enough memory"),
        (RecursionError(), "nested too deeply"),
        (FloatingPointError("invalid"), "f failed: FloatingPointError: invalid"),
        (OverflowError("large"), "f failed: OverflowError: large"),
    ],
)
def test_a_builtin_that_breaks_is_one_message_too(error, message):
    def f() -> Any:
        raise error

    with pytest.raises(NotationError, match=message) as caught:
        Session({"f": f}).run("f()")
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("layer_nrm(1)", "nothing is named layer_nrm\n  layer_nrm(1)\n  ^\nDid you mean layer_norm?"),
        ("weights = 1; weigths", "Did you mean weights?"),
        ("{wq = 1, wk = 2}.wx", "the record has no field wx"),
        ("{gamma = 1, beta = 2}.gama", "It has gamma, beta. Did you mean gamma?"),
        ("{}.a", "It is empty."),
        ("[1].shape", "only a record has fields, but this is a vector of 1"),
        ("sum.__globals__", "only a record has fields, but this is the function"),
        ('"{0.__class__}"', "an operator is missing"),
        ("5(3)", "this is the number 5 and can't be called"),
        ("1 + print(2)", "this call gives no value that could be used here"),
        ("x = print(2)", "this call gives no value that x could stand for"),
        ('"{print(2)}"', "this call gives no value"),
        ("nobody + 1", "nothing is named nobody"),
        ("__import__", "nothing is named __import__"),
    ],
)
def test_what_is_not_there(fail, program, message):
    assert message in fail(program)


def test_a_catalogue_may_refuse_names_with_any_lookup_error():
    class Strict(dict):
        def __getitem__(self, name):
            raise LookupError(name)

    with pytest.raises(NotationError, match="nothing is named x"):
        Session(Strict()).run("x")


def test_names_are_the_definitions_and_the_builtins():
    session = Session({"b": abs})
    session.run("c = 1; a(x) = x")
    assert session.names == ["a", "b", "c"]


def test_sessions_in_threads_do_not_meet(catalogue):
    results: dict[int, Any] = {}

    def work(i: int) -> None:
        program = f"f(n) = if n < 1 then {i} else f(n - 1)\ng(x) = x .* f(20)\nsum([f(50), grad(g)(2)])"
        results[i] = Session(catalogue, limits=Limits()).run(program)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: 2 * i for i in range(8)}

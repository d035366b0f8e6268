import numpy as np
import pytest

from opbook.errors import NotationError
from opbook.notation import Session


def test_functions_take_positions_and_names(run):
    assert run("f(x, y) = x - y; f(5, 3)") == 2
    assert run("f(x, y) = x - y; f(5, y = 3)") == 2
    assert run("f(x, y) = x - y; f(y = 5, x = 3)") == -2
    assert run("f() = 4; f()") == 4
    assert run("f(x,) = x; f(1,)") == 1


def test_other_names_are_looked_up_when_the_function_is_called(run):
    assert run("f(x) = x + a; a = 1; f(1) + (if f(1) == 2 then 10 else 0)") == 12
    assert run("f(x) = g(x); g(x) = 2 * x; f(4)") == 8
    assert run("a = 1; f(a) = a; f(5) + a") == 6


def test_recursion_can_end(run):
    assert run("fact(n) = if n < 2 then 1 else n * fact(n - 1)\nfact(20)") == 2432902008176640000
    assert run("even(n) = if n == 0 then true else odd(n - 1)\nodd(n) = not even(n)\neven(300)") is True
    assert run("sum_to(n) = if n == 0 then 0 else n + sum_to(n - 1)\nsum_to(990)") == 990 * 991 // 2


@pytest.mark.parametrize(
    ("body", "x", "gradient"),
    [
        ("x ^ 3 - 2 * x + 1 / x", 2.0, 12 - 2 - 0.25),
        ("if x > 0 then x * x else -x", -3.0, -1.0),
        ("[x, 2 * x] @ [x, 1]", 3.0, 8.0),
        ("sum([x, x; 1, x ^ 2])", 3.0, 8.0),
        ("sum([x; 2])", 3.0, 1.0),
        ("{a = x, b = (x,)}.a * 4", 3.0, 4.0),
        ("if true and not (x < 0) then 5 * x else 0", 3.0, 5.0),
    ],
)
def test_functions_can_be_differentiated(run, body, x, gradient):
    assert run(f"f(x) = {body}\ngrad(f)({x})") == pytest.approx(gradient)


def test_gradients_of_arrays_and_records(run):
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, -1.0], [2.0, 1.0]])
    definitions = "a = [1, 2; 3, 4]; b = [0.5, -1; 2, 1]\n"
    np.testing.assert_allclose(run(definitions + "f(m) = sum((m * b)')\ngrad(f)(a)"), np.ones((2, 2)) @ b.T)
    np.testing.assert_allclose(run(definitions + "f(m) = sum(m .* m ./ b)\ngrad(f)(a)"), 2 * a / b)
    np.testing.assert_allclose(run("f(v) = v @ v\ngrad(f)([1, 2, 3])"), [2.0, 4.0, 6.0])
    np.testing.assert_allclose(run("f(v) = sum([v, 1; 2 * v, 1])\ngrad(f)([1, 2])"), [3.0, 3.0])
    np.testing.assert_allclose(run("f(r) = sum(r.w) * r.s\ngrad(f)({w = [1, 2], s = 5}).w"), [5.0, 5.0])
    assert run("f(x) = x ^ 3\ng(x) = grad(f)(x)\ngrad(g)(2)") == pytest.approx(12)


def test_a_function_is_a_python_function(catalogue):
    session = Session(catalogue)
    f = session.run("f(x, y) = x .* y\nf")
    assert f(3, y=4) == 12
    assert f.__name__ == "f"
    assert repr(f) == "f(x, y)"
    with pytest.raises(NotationError, match="f needs y, which the call lacks"):
        f(3)
    with pytest.raises(NotationError, match="nothing is named z"):
        session.run("g() = z\ng")()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("f(1)", "f needs y, which the call lacks"),
        ("f()", "f needs x and y, which the call lacks"),
        ("f(1, 2, 3)", "f takes 2 arguments, but got 3"),
        ("f(1, z = 2)", "f has no parameter z"),
        ("f(1, 2, x = 3)", "f got x twice, by position and by name"),
    ],
)
def test_arguments_that_do_not_fit(fail, call, message):
    text = fail(f"f(x, y) = x + y\n{call}")
    assert text.startswith(f"<input>:2:1: {message}")
    assert text.endswith("Call it as f(x, y)")


def test_a_mistake_inside_a_function_shows_both_places(session):
    session.run("inner(x) = [1, 2] + x\nouter(x) = inner(x)", "functions.qu")
    with pytest.raises(NotationError) as caught:
        session.run("y = 1\n2 * outer([1, 2, 3])", "main.qu")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("functions.qu:1:19: `+` works entry by entry")
    assert lines[1:] == [
        "  inner(x) = [1, 2] + x",
        "                    ^",
        "This happened in inner; the call is at main.qu:2:5",
    ]


def test_a_mistake_inside_a_differentiated_function_shows_its_own_place(fail):
    assert fail('f(x) = sum(x .* "a")\ngrad(f)([1, 2])').startswith("<input>:1:14: `.*` needs numbers")

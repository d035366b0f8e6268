import pytest

from opbook.errors import NotationError
from opbook.notation.names import names_called


@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("", set()),
        ("x = 1; y = x", set()),
        ("print(sum([1, 2]))", {"print", "sum"}),
        ("f(x) = exp(x) + a; a = 1; grad(f)(2)", {"exp", "grad"}),
        ("sum = sum([1]); sum", {"sum"}),
        ("sum = 3; sum", set()),
        ("f(x) = g(x); g(x) = x", set()),
        ("f(n) = if n < 1 then 0 else f(n - 1)", set()),
        ('print("the {round(x, 2)}: {"{abs(1)}"}")', {"print", "round", "x", "abs"}),
        ("r = {sum = max(1, n = min(2))}; r.mean", {"max", "min"}),
        ("(tanh,); -log([1; not sqrt]').a", {"tanh", "log", "sqrt"}),
    ],
)
def test_names_that_a_program_uses_but_does_not_define(program, names):
    assert names_called(program) == names


def test_a_syntax_error_is_told():
    with pytest.raises(NotationError):
        names_called("x = [")

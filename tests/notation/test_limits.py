import signal
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from opbook.builtins.annotations import Array
from opbook.builtins.builtin import builtin
from opbook.errors import NotationError
from opbook.notation import Limits, Session


@pytest.mark.parametrize(
    "program",
    [
        "f(n) = f(n + 1)\nf(1)",
        "f(n) = 1 + f(n)\nf(1)",
        "f(n) = g(n)\ng(n) = -f(n)\nf(1)",
        'f(n) = "{[f(n)]}"\nf(1)',
    ],
)
def test_endless_recursion_is_one_clear_message(fail, program):
    message = fail(program)
    assert "while 1,000 calls are open: the recursion has no end, or is too deep" in message
    assert "A recursion ends by a choice: f(n) = if n <= 0 then 0 else f(n - 1)" in message


def test_endless_recursion_through_a_builtin(fail):
    assert "the recursion has no end" in fail("f(x) = grad(f)(x)\nf(1)")
    assert "the recursion has no end" in fail("f(x) = same(f)(x)\nf(1)")


def test_the_calls_of_one_run_do_not_count_in_the_next():
    session = Session({"same": lambda x: x}, limits=Limits(calls=5))
    for _ in range(3):
        with pytest.raises(NotationError, match="5 calls are open"):
            session.run("f(n) = f(n)\nf(1)")
    assert session.run("g(n) = if n == 0 then 0 else g(n - 1)\ng(4) + g(4)") == 0


def test_steps(fail):
    message = fail("fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2)\nfib(40)", steps=10_000)
    assert "stopped here, after 10,000 steps" in message


def test_time(fail):
    program = "fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2)\nfib(40)"
    assert "stopped here, after 0.05 seconds" in fail(program, seconds=0.05)


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ("zeros(1000000, 1000000)", "1,000,000 by 1,000,000 = 1,000,000,000,000 numbers; the limit is 4,000,000"),
        ("zeros(1e6, 1e6)", "1,000,000 by 1,000,000"),
        ("zeros(1000, 10 ^ 10, 10 ^ 10)", "numbers"),
        ("eye(10 ^ 9)", "1,000,000,000 numbers"),
        ("eye(5000)", "5,000 by 5,000"),
        ("zeros(3000, 1) + zeros(1, 3000)", "3,000 by 3,000 = 9,000,000 numbers"),
        ("zeros(3000, 1) .* zeros(3000)", "3,000 by 3,000"),
        ("zeros(3000, 1) < zeros(3000)", "3,000 by 3,000"),
        ("zeros(3000, 1) * zeros(1, 3000)", "3,000 by 3,000"),
        ("(zeros(3000, 1) > 1) and (zeros(3000) > 1)", "3,000 by 3,000"),
        ("z = zeros(1000000); [z, z, z, z, z]", "5,000,000 numbers"),
        ("z = zeros(1000000); [z; z; z; z; z]", "5 by 1,000,000"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_made(fail, program, what):
    tracemalloc.start()
    try:
        assert what in fail(program)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    if not program.startswith("eye(5000"):  # nothing says that its result is a square: it is refused once it is there
        assert peak < 40_000_000


def test_the_call_shapes_of_a_builtin_tell_its_size_before_it_is_made():
    made = []

    @builtin(category="Test")
    def square(n: int) -> Array["N N"]:
        """Makes a square matrix.

        Args:
            n: Its size.
        """
        made.append(n)
        return np.eye(n)

    @square.overload
    def _(shape: tuple[int, ...], fill: str = "ones") -> Array["..."]:
        """Makes an array.

        Args:
            shape: Its shape.
            fill: What with.
        """
        made.append(shape)
        return np.ones(shape)

    @square.overload
    def _(start: int, stop: int) -> Array["N"]:
        """Counts.

        Args:
            start: From here.
            stop: To here.
        """
        return np.arange(float(start), stop)

    session = Session({"square": square})
    with pytest.raises(NotationError, match="5,000 by 5,000"):
        session.run("square(5000)")
    with pytest.raises(NotationError, match="100,000 by 100,000"):
        session.run('square((100000, 100000), "ones")')
    assert made == []
    assert session.run("square(3)").shape == (3, 3)
    assert session.run("square((1, 2))").shape == (1, 2)
    assert session.run("square(1000000, 1000005)").shape == (5,)  # 10¹² would be a wrong guess


def test_large_integers_are_no_sizes_where_numbers_are_meant(run):
    assert run("max(1000000, 2000000)") == 2000000
    assert run("round(123456789, 1)") == 123456789
    assert run("same(10 ^ 12)") == 10**12


def test_all_arrays_of_a_run_count(fail):
    program = "a = zeros(1000)\n" + "b = a + a\n" * 20
    assert "after making 10,000 numbers" in fail(program, total_elements=10_000)


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ('t = "0123456789"\n' + 't = "{t}{t}"\n' * 60, "characters; the limit is 200,000"),
        ("t = (1,)\n" + "t = (t, t)\n" * 60, "may hold 100,000 values in all"),
        ("t = (1,)\n" + "t = {a = t, b = t}\n" * 60, "may hold 100,000 values in all"),
        ("f(n, t) = if n == 0 then t else f(n - 1, (t,))\nf(200, 1)", "nested more than 100 deep"),
        ('"{zeros(1000, 1000)}"', "too large to print"),
        ("x = 1\n" * 50_000, "the program has 300,000 characters; the limit is 200,000"),
    ],
)
def test_texts_and_structures_are_bounded(fail, program, what):
    assert what in fail(program)


def test_very_deep_nesting(fail, run):
    for opening in ("(", "[", "f(", '"{'):
        assert "more than 200 brackets are open here" in fail(opening * 10_000)
    assert run("(" * 150 + "1" + ")" * 150) == 1
    assert run("1" + " + 1" * 20_000) == 20_001
    assert run("-" * 20_000 + "1") == 1
    assert run("if true then 1 else " * 3_000 + "2") == 1


def slow(n: int) -> float:
    """Goes on for ever, in Python."""
    while True:
        n += 1


def test_a_builtin_that_does_not_end_is_stopped_with_its_place():
    with pytest.raises(NotationError, match=r"1:5: the program was stopped here, after 0.05 seconds"):
        Session({"slow": slow}, limits=Limits(seconds=0.05)).run("1 + slow(1)")


def test_the_clock_is_put_back():
    Session({}).run("1")
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_a_clock_that_others_use_is_left_alone():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        assert Session({}).run("1 + 1") == 2
        assert signal.getsignal(signal.SIGALRM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_texts_count_when_they_are_made_and_when_they_are_handed_on(fail):
    many = 't = "0123456789"\n' + 't = "0123456789"\n' * 20
    assert "after 100 characters of text" in fail(many, total_characters=100)
    printed = 't = "0123456789"\n' + "print(t)\n" * 20
    assert "after 100 characters of text" in fail(printed, total_characters=100)


def test_the_arguments_of_a_call_count_together(fail):
    program = "z = zeros(3000000)\nsame((z, z, z, z, z, z))"
    assert "the arguments of this call have 18,000,000 numbers; the limit is 16,000,000" in fail(program)


def test_a_program_gets_no_more_memory_than_its_process_may_take():
    code = """
import resource

import numpy as np
from opbook.errors import NotationError
from opbook.notation import Session
from opbook.notation.guard import limited_memory

before = resource.getrlimit(resource.RLIMIT_AS)
try:
    with limited_memory(2**28):
        Session({"wide": lambda x: float((x @ np.ones((1, 10**8))).sum())}).run("f(x) = wide(x); wide([1;])")
except NotationError as error:
    print(error)
print(resource.getrlimit(resource.RLIMIT_AS) == before)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "there is not enough memory for this" in run.stdout, run.stderr
    assert run.stdout.endswith("True\n"), "what is run afterwards, a browser for instance, has its memory"


def test_a_name_is_compared_with_a_bounded_number_of_others(fail):
    names = "".join(f"{'a' * 60}{i} = 1\n" for i in range(2_000))
    assert "nothing is named" in fail(names + "a" * 60 + "x", seconds=60)

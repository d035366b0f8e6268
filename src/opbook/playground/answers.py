"""What an engine says to a message from a page. The format is on the reference page "Messages of the playground"."""

import inspect
import linecache
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.builtins.formatting import format_value
from opbook.builtins.timing import Use, watched
from opbook.errors import InputError, OpbookError
from opbook.examples.example import Example
from opbook.examples.runner import MODULE, Runner
from opbook.figures import Figure
from opbook.figures.svg import svg
from opbook.notation.limits import Limits
from opbook.playground.messages import CHARACTERS, PICTURES, Answer, empty, failure
from opbook.playground.mistakes import explained

LIMITS = Limits(total_characters=CHARACTERS)
"""What a program of a page may use."""

INPUT, ABOVE = "<input>", "<above>"
"""What messages call a reader's code, and that of the examples that it continues."""

GRADIENT = "_gradient"
"""How the name of a function ends that is the gradient of another one."""


def answer(message: Any, catalogue: Mapping[str, Callable[..., Any]]) -> Answer:
    """Do what a message asks for.

    Returns:
        The answer, in values that JSON has as well. What goes wrong is in it, under `error`.
    """
    start = time.perf_counter()
    try:
        found = _DO[_field(message, "do", tuple(_DO))](message, catalogue)
    except InputError as error:
        found = failure(str(error))
    seconds = round(time.perf_counter() - start, 4)
    return empty() | found | {"seconds": seconds}


def _field(message: Any, name: str, known: tuple[str, ...] = ()) -> str:
    value = message.get(name) if isinstance(message, dict) else None
    if not isinstance(value, str) or (known and value not in known):
        wanted = f"{', '.join(known[:-1])} or {known[-1]}" if known else "text"
        raise InputError(f"the message's {name!r} must be {wanted}, but is {value!r:.60}")
    return value


def _run(message: Any, catalogue: Mapping[str, Callable[..., Any]]) -> Answer:
    """Run code, and before it what it continues, of which only mistakes are shown."""
    language = _field(message, "language", ("qu", "python"))
    used: dict[str, Use] = {}
    example = None
    for path, code in (*((ABOVE, code) for code in _before(message)), (INPUT, _field(message, "code"))):
        example = Example(Path(path), 0, language, code, previous=example)  # type: ignore[arg-type]
    assert example is not None
    for link, attempt in Runner(_watched(catalogue, used), LIMITS).attempts(example):
        if link is example or attempt.error is not None:
            found = {"printed": _cut(attempt.printed), "value": _value(attempt.value), "rules": _rules(used, catalogue)}
            found |= _pictures(attempt.figures, message.get("id"))
            return found | (explained(attempt.error, link) if attempt.error else {})
    raise AssertionError("the last attempt is that of the example")


def _watched(catalogue: Mapping[str, Any], used: dict[str, Use]) -> dict[str, Any]:
    """The builtins; of those that have rules of several plugins it is noted which one a call uses, the last call's."""
    several = {name: op for name, op in catalogue.items() if isinstance(op, Builtin) and len(op.asked) > 1}
    noted = {name: watched(op, lambda use, name=name: used.update({name: use})) for name, op in several.items()}  # type: ignore[misc]
    return {**catalogue, **noted}


def _rules(used: dict[str, Use], catalogue: Mapping[str, Any]) -> list[Answer]:
    return [
        {"builtin": name, "rule": use.rule, "package": _package(catalogue[name], use.rule), "seconds": use.seconds}
        for name, use in used.items()
    ]


def _package(op: Builtin, rule: str) -> str:
    """The package that a rule comes from, such as `opbook_fast`."""
    function = next((one.function for one in op.rules if one.name == rule), op.definition)
    return function.__module__.partition(".")[0]


def _before(message: Any) -> list[str]:
    before = message.get("before", [])
    if not isinstance(before, list) or not all(isinstance(code, str) for code in before):
        raise InputError("the message's 'before' must be a list of texts")
    return before


def _cut(text: str) -> str:
    return (
        text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}\n... ({len(text) - CHARACTERS:,} more characters)\n"
    )


def _value(value: Any) -> str | None:
    return None if value is None else _cut(format_value(value))


def _pictures(figures: tuple[Figure, ...], number: Any) -> Answer:
    drawn = [
        {"title": figure.title, "description": figure.description, "svg": svg(figure, f"run-{number}-{place}")}
        for place, figure in enumerate(figures, 1)
    ]
    size = sum(len(one["svg"]) for one in drawn)
    if size > PICTURES:
        problem = f"the pictures would take {size:,} characters; the limit is {PICTURES:,}. Draw fewer numbers"
        return failure(problem)
    return {"figures": drawn}


def _compare(message: Any, catalogue: Mapping[str, Callable[..., Any]]) -> Answer:
    """Hold the last function of the code to a builtin, with the one called NAME_gradient where there is one."""
    from opbook.checks.comparison import compare

    name = _field(message, "builtin")
    example = Example(Path(INPUT), 0, "python", _field(message, "code"))
    try:
        functions = _functions(example.code)
        own = [key for key in functions if not key.endswith(GRADIENT)]
        if not own:
            raise InputError(f"the code defines no function to compare with {name}: write def my_{name}(...)")
        found = compare(functions[own[-1]], name, gradient=functions.get(own[-1] + GRADIENT))
    except InputError as error:
        return failure(str(error))
    except Exception as error:  # a reader's code may raise anything
        return explained(error, example)
    return {"comparison": found.as_dict()}


def _functions(code: str) -> dict[str, Callable[..., Any]]:
    """Run code, and find the functions that it defines, in order."""
    module = ModuleType(MODULE)
    lines = [f"{line}\n" for line in code.splitlines()]
    linecache.cache[INPUT] = (len(code), None, lines, INPUT)  # whose arrays a function takes is read there
    exec(compile(code, INPUT, "exec", dont_inherit=True), module.__dict__)
    found = {key: one for key, one in vars(module).items() if inspect.isfunction(one)}
    return {key: one for key, one in found.items() if one.__module__ == MODULE}


def _judge(message: Any, catalogue: Mapping[str, Callable[..., Any]]) -> Answer:
    """Judge an answer to an exercise of the page, which sends the exercise's fences along."""
    from opbook.exercises import judge_source

    try:
        return {"verdict": judge_source(_field(message, "exercise"), _field(message, "code"))}
    except OpbookError as error:
        return failure(str(error))


_DO = {"run": _run, "compare": _compare, "judge": _judge}

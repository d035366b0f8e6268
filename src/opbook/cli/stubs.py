"""`opbook stubs`: stub files, so that editors and type checkers know the builtins of the plugins that are installed.

`opbook.ops` makes its names when they are asked for, so nobody can know them by reading it. The stubs say what it would
give: for each builtin a class of its own, a [`Builtin`][opbook.builtins.builtin.Builtin] whose call has the right
signature.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from opbook.builtins.builtin import Builtin
from opbook.builtins.signature import CallShape, Param
from opbook.builtins.specs import (
    ArraySpec,
    DictSpec,
    OptionalSpec,
    RecordSpec,
    SequenceSpec,
    Spec,
    UnionSpec,
    ValueSpec,
)
from opbook.cli.options import with_catalogue
from opbook.cli.output import print_line
from opbook.examples.files import replacing
from opbook.plugins.catalogue import Catalogue

_HEAD = "# Written by opbook stubs; write it anew after a plugin was installed, changed or removed."

# With an underscore, so that a builtin may be called `float` or `Any`.
_IMPORTS = """
import builtins as _builtins
import collections.abc as _abc
import typing as _typing

from numpy.typing import ArrayLike as _ArrayLike
from numpy.typing import NDArray as _NDArray

from opbook.builtins.builtin import Builtin as _Builtin
"""


@click.command()
@click.option(
    "--output",
    default="typings",
    show_default=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of stubs.",
)
@with_catalogue
def stubs(catalogue: Catalogue, output: Path) -> None:
    """Write stub files for the builtins that are installed, for editors and type checkers.

    With them, from opbook.ops import NAME completes, shows its documentation, and is checked: names, arguments and
    their types, every call shape. Pyright and Pylance look into the folder typings by themselves; for mypy, set
    mypy_path = "typings". Write them again after a plugin was installed or changed.

    \b
    Examples:
        opbook stubs
        opbook stubs --output build/typings
        opbook stubs --plugin my_ops.py
    """
    folder = write_stubs(catalogue, output)
    print_line(f"Wrote {folder}/ops.pyi with {len(catalogue)} builtins.")
    pyright = "find it by themselves" if output == Path("typings") else f'find it with stubPath = "{output}"'
    print_line(f'Pyright and Pylance {pyright}; mypy finds it with mypy_path = "{output}".')


def write_stubs(builtins: Mapping[str, Builtin], folder: Path) -> Path:
    """Write stubs of `opbook.ops`.

    Args:
        builtins: The builtins, by name.
        folder: Where a type checker looks for stubs, such as `typings`; it is made if it is not there.

    Returns:
        The folder `opbook` in it, which holds `ops.pyi`, and `__init__.pyi` so that type checkers go into it.

    Raises:
        FileExistsError: There is such a folder, and this function has not written it.
    """
    target = folder / "opbook"
    if target.exists() and not _is_ours(target):
        raise FileExistsError(
            f"{target} is there already, and was not written by opbook stubs; name another folder with --output"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(target) as draft:
        draft.mkdir()
        # a stub package hides the package's own __init__ from type checkers, so it says the same
        package = (Path(__file__).parents[1] / "__init__.py").read_text(encoding="utf-8")
        (draft / "__init__.pyi").write_text(f"{_HEAD}\n{package}", encoding="utf-8")
        (draft / "ops.pyi").write_text(ops_stub(builtins), encoding="utf-8")
    return target


def _is_ours(folder: Path) -> bool:
    """Whether a folder holds the two files that we write, and nothing else."""
    written = [folder / "__init__.pyi", folder / "ops.pyi"]
    return (
        folder.is_dir()
        and sorted(folder.iterdir()) == written
        and all(stub.read_text(encoding="utf-8", errors="replace").startswith(_HEAD) for stub in written)
    )


def ops_stub(builtins: Mapping[str, Builtin]) -> str:
    """Say what `opbook.ops` has."""
    classes = [_class(op) for op in builtins.values()]
    names = [f"{name}: _{name}" for name in builtins]
    return "\n".join([_HEAD, _IMPORTS, *classes, *names, ""])


def _class(op: Builtin) -> str:
    groups = _told_apart(op.call_shapes)
    calls = [_call(group, "@_typing.overload\n" if len(groups) > 1 else "") for group in groups]
    return f"class _{op.name}(_Builtin):\n{textwrap.indent(chr(10).join(calls), '    ')}\n"


def _told_apart(shapes: Iterable[CallShape]) -> list[list[CallShape]]:
    """Put a call shape to the first that takes all its calls: types know no axes, so no call would reach the second."""
    groups: list[list[CallShape]] = []
    for shape in shapes:
        for group in groups:
            if _takes_all_calls_of(group[0], shape):
                group.append(shape)
                break
        else:
            groups.append([shape])
    return groups


def _takes_all_calls_of(first: CallShape, second: CallShape) -> bool:
    pairs = list(zip(first.params, second.params, strict=False))
    return (
        len(pairs) == len(second.params)
        and all(not param.required for param in first.params[len(pairs) :])
        and all((a.name, a.keyword_only) == (b.name, b.keyword_only) for a, b in pairs)
        and all(b.required or not a.required for a, b in pairs)
        and all(set(_argument(b.spec).split(" | ")) <= set(_argument(a.spec).split(" | ")) for a, b in pairs)
    )


def _call(shapes: list[CallShape], decorator: str) -> str:
    arguments = ", ".join(["self", *_arguments(shapes[0].params)])
    doc = "\n\n".join(f"{inspect.cleandoc(each.definition.__doc__ or '')}\n\n{_shapes(each)}" for each in shapes)
    returned = " | ".join(
        dict.fromkeys(_type(each.returns, "_NDArray[_typing.Any]", "_builtins.tuple") for each in shapes)
    )
    return f"{decorator}def __call__({arguments}) -> {returned}:\n{textwrap.indent(_text(doc), '    ')}"


def _arguments(params: list[Param]) -> Iterator[str]:
    starred = False
    for param in params:
        if param.keyword_only and not starred:
            starred = True
            yield "*"
        default = "" if param.required else f" = {_default(param.default)}"
        yield f"{param.name}: {_argument(param.spec)}{default}"


def _argument(spec: Spec) -> str:
    return _type(spec, "_ArrayLike", "_abc.Sequence")


def _default(value: Any) -> str:
    """A default as code, where it is a literal."""
    try:
        ast.literal_eval(repr(value))
    except (ValueError, SyntaxError):
        return "..."
    return repr(value)


def _shapes(shape: CallShape) -> str:
    """What the types can't say."""
    rows = [f"    {param.name}: {param.spec.words()}" for param in shape.params]
    return "\n".join(["Shapes:", *rows])


def _text(doc: str) -> str:
    escaped = inspect.cleandoc(doc).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{escaped}\n"""'


def _type(spec: Spec, array: str, sequence: str) -> str:
    """Write what an argument must be, or what comes back, as a type."""
    if isinstance(spec, OptionalSpec):
        return f"{_type(spec.inner, array, sequence)} | None"
    if isinstance(spec, UnionSpec):
        return " | ".join(dict.fromkeys(_type(part, array, sequence) for part in spec.parts))
    if isinstance(spec, ArraySpec):
        return array
    if isinstance(spec, RecordSpec):
        return "_abc.Mapping[_builtins.str, _typing.Any]"
    if isinstance(spec, DictSpec):
        return f"_abc.Mapping[_builtins.str, {_type(spec.item, array, sequence)}]"
    if isinstance(spec, SequenceSpec):
        items = [_type(item, array, sequence) for item in spec.items]
        if sequence == "_builtins.tuple":
            return f"{sequence}[{', '.join(items)}{', ...' if spec.any_length else ''}]"
        return f"{sequence}[{' | '.join(dict.fromkeys(items))}]"
    if isinstance(spec, ValueSpec) and spec.choices:
        return f"_typing.Literal[{', '.join(map(repr, spec.choices))}]"
    if isinstance(spec, ValueSpec) and spec.types:
        return " | ".join(map(_plain, spec.types))
    return "_typing.Any"


def _plain(kind: Any) -> str:
    if kind is type(None):
        return "None"
    if kind is Callable:
        return "_abc.Callable[..., _typing.Any]"
    arguments = {tuple: "[_typing.Any, ...]", list: "[_typing.Any]", dict: "[_typing.Any, _typing.Any]"}
    return f"_builtins.{kind.__name__}{arguments.get(kind, '')}"

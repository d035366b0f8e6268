"""What is public, as lines of text: what docs/reference/api and docs/reference/hooks.md show, and the command line.

`python tests/public_api.py` writes them to public_api.txt, at a release and at no other time: until the next one,
test_public_api.py asks the changelog about everything that differs from them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
API = ROOT / "docs" / "reference" / "api"
RELEASED = Path(__file__).with_suffix(".txt")


def members() -> set[str]:
    """What the pages of the API ask mkdocstrings for: modules that are shown whole, and single things of others."""
    found = set()
    for page in (*API.glob("*.md"), API.parent / "hooks.md"):
        for block in re.split(r"^::: ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            identifier = block.split()[0]
            if "members: false" in block:  # of these the page shows what they are for, and no names
                continue
            shown = re.search(r"members: \[(.*)\]", block)
            found |= {f"{identifier}.{name}" for name in shown[1].split(", ")} if shown else {identifier}
    return found


def lines() -> dict[str, str]:
    """Each public name with how it is used: a signature, a type, a default."""
    return dict(sorted([*_python(), *_commands()]))


def _python() -> Iterator[tuple[str, str]]:
    import griffe

    package = griffe.load("opbook", search_paths=[ROOT / "src"], docstring_parser="google")
    for text in package["__all__"].value.elements:
        yield f"opbook.{str(text).strip(chr(39))}", ""  # how it is used stands where it is defined
    for name in sorted(members()):
        thing = package[name.removeprefix("opbook.")]
        thing = thing.final_target if thing.is_alias else thing
        if thing.is_module:
            own = {key: one for key, one in thing.members.items() if not key.startswith("_") and not one.is_alias}
            for key, one in own.items():
                yield from _described(f"{name}.{key}", one)
        else:
            yield from _described(name, thing)


def _described(name: str, thing: "object") -> Iterator[tuple[str, str]]:
    import griffe

    if isinstance(thing, griffe.Function):
        yield name, f"{_parameters(thing)} -> {thing.returns}"
    elif isinstance(thing, griffe.Class):
        bases = ", ".join(map(str, thing.bases))
        yield name, f"class {_parameters(thing)}{f' of {bases}' if bases else ''}"
        for key, one in thing.members.items():
            if not key.startswith("_") and not one.is_alias:
                yield from _described(f"{name}.{key}", one)
    elif isinstance(thing, griffe.Attribute):
        yield name, f": {thing.annotation}" if thing.annotation else ""


def _parameters(thing: "object") -> str:
    written, keywords = [], False
    for parameter in thing.parameters:  # type: ignore[attr-defined]
        if parameter.name == "self":
            continue
        kind = parameter.kind.value
        if kind == "keyword-only" and not keywords:
            written.append("*")
        keywords = keywords or kind in ("keyword-only", "variadic positional")
        stars = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        default = f" = {parameter.default}" if parameter.default is not None and not stars else ""
        written.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    return f"({', '.join(written)})"


def _commands() -> Iterator[tuple[str, str]]:
    import click

    from opbook.cli import main

    def walk(path: str, command: click.Command) -> Iterator[tuple[str, str]]:
        arguments = [p.make_metavar(click.Context(command)) for p in command.params if isinstance(p, click.Argument)]
        yield path, " ".join(arguments)
        for option in command.params:
            if isinstance(option, click.Option):
                name = max(option.opts, key=len)
                words = [*sorted({*option.opts, *option.secondary_opts} - {name}), "flag" * option.is_flag]
                yield f"{path} {name}", " ".join(filter(None, words))
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(f"{path} {name}", inner)

    yield from walk("$ opbook", main)


def read() -> dict[str, str]:
    """The lines of the last release."""
    text = RELEASED.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") if "\t" in line else (line, "") for line in text if not line.startswith("#"))


def write() -> None:
    """Take what is public now for what the last release has."""
    import opbook

    head = f"# What was public in opbook {opbook.__version__}. Written by: python tests/public_api.py\n"
    body = "".join(f"{name}\t{text}".rstrip() + "\n" for name, text in lines().items())
    RELEASED.write_text(head + body, encoding="utf-8")


if __name__ == "__main__":
    write()

"""What a builtin's behaviour depends on, as a digest: the source of its module, and of all that this one imports."""

import ast
import functools
import hashlib
import importlib.util
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import opbook
from opbook.builtins.builtin import Builtin
from opbook.examples.processes import spread
from opbook.plugins.catalogue import Catalogue

MANY = 16
"""From so many modules on, it is worth while to start processes that read them."""

INSTALLED = {"site-packages", "dist-packages"}


def fingerprints(loaded: Catalogue) -> dict[str, str]:
    """Take the fingerprint of every builtin.

    Opbook's own source, the version of Python and that of NumPy count for all of them, and so do other plugins' rules,
    which may run inside any builtin. Of a package, the modules count that the builtin's module, and those of its
    samples and properties, reach by their imports, and every file that is no Python; of a library, its version.

    Returns:
        The digests by name. Each is another as soon as one of these is.
    """
    base = hashlib.sha256(f"{platform.python_version()} {platform.machine()} {np.__version__}".encode())
    for path in sorted(Path(opbook.__file__).parent.rglob("*.py")):
        base.update(path.read_bytes())
    for op in loaded.values():
        for rule in op.rules:
            base.update(f"{rule} {op.asked} {_digest('', _module_of(rule.function))}".encode())
    start = base.hexdigest()
    modules = sorted({op.__module__ for op in loaded.values()})
    digests = dict(zip(modules, spread(functools.partial(_digest, start), modules, MANY, chunk=4), strict=True))
    return {name: _of(op, digests[op.__module__]) for name, op in loaded.items()}


def _of(op: Builtin, digest: str) -> str:
    stated = [f"{one} {_digest('', _module_of(one.sides))}" for one in op.properties]
    sampled = [_digest("", module) for module in sorted(op.samplers)]
    return hashlib.sha256(" ".join([op.name, digest, *stated, *sampled]).encode()).hexdigest()


def _module_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__module__", "")  # a callable object's is its class's


def _digest(base: str, module: str) -> str:
    digest = hashlib.sha256(base.encode())
    for name in sorted(_reached(module)):
        digest.update(f"{name}\n{_content(name)}".encode())
    return digest.hexdigest()


def _reached(module: str) -> set[str]:
    """A module, the packages that it is in, and what all of them import, directly or by way of others."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen or name.partition(".")[0] in sys.stdlib_module_names or name.partition(".")[0] == "opbook":
            continue
        seen.add(name)
        parent = name.rpartition(".")[0]
        if parent and parent not in seen:
            seen.add(parent)  # it runs first, so its text counts; what else it imports is not this module's business
        waiting += _imports(name)
    return seen


def _path(name: str) -> Path | None:
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    return Path(file) if file and file.endswith(".py") else None


def _is_library(path: Path) -> bool:
    return bool(INSTALLED & set(path.parts))


@functools.cache
def _content(name: str) -> str:
    """What a module is: its source, or the version of a library; of a package, its other files as well."""
    path = _path(name)
    if path is None:
        return ""
    text = hashlib.sha256(path.read_bytes()).hexdigest()
    if path.name == "__init__.py" and not _is_library(path):
        for file in sorted(path.parent.rglob("*")):
            if file.is_file() and file.suffix not in (".py", ".pyc", ".md"):
                text += hashlib.sha256(file.read_bytes()).hexdigest()
    return f"{text} {getattr(sys.modules[name], '__version__', '')}"


@functools.cache
def _imports(name: str) -> tuple[str, ...]:
    """The modules that a module imports; all of its package where it imports in ways that its text does not tell."""
    path = _path(name)
    if path is None or (_is_library(path) and not _is_plugin(name)):
        return ()
    source = path.read_text("utf-8", errors="replace")
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    if "import_module" in source or "__import__" in source:
        root = name.partition(".")[0]
        return tuple(module for module in sys.modules if module == root or module.startswith(f"{root}."))
    return tuple(_named(ast.parse(source), package))


def _is_plugin(name: str) -> bool:
    """Whether a module holds builtins: those are read however they were installed."""
    return any(isinstance(value, Builtin) for value in vars(sys.modules[name]).values())


def _named(tree: ast.Module, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = importlib.util.resolve_name("." * node.level + (node.module or ""), package) if node.level else None
            module = start or node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if f"{module}.{alias.name}" in sys.modules)

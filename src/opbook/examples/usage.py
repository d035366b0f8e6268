"""Which builtins an example calls."""

import ast
import sys
from collections.abc import Collection, Iterator
from functools import lru_cache

from opbook.errors import OpbookError
from opbook.examples.example import Example

OPS = "opbook.ops"


def calls(example: Example, names: Collection[str]) -> set[str]:
    """Tell which builtins an example uses.

    Returns:
        Those of `names` that its own code uses. A Python example that continues another may use what that one imported.
    """
    if example.language == "qu":
        return set(_qu_names(example.program).intersection(names))
    imports = _Imports()
    for link in example.chain:
        imports.read(_parsed(link.code))
    return set(imports.used(_parsed(example.code))).intersection(names)


@lru_cache(maxsize=256)
def _qu_names(code: str) -> frozenset[str]:
    from opbook.notation.names import names_called  # Here, so that pages without `qu` need no parser.

    try:
        return frozenset(names_called(code))
    except OpbookError:  # An example may show what a mistake looks like.
        return frozenset()


@lru_cache(maxsize=256)
def _parsed(code: str) -> ast.Module:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _may_hold_builtins(module: str) -> bool:
    """Whether a name imported from a module can be a builtin: from `opbook.ops`, or from a plugin itself."""
    root = module.split(".")[0]
    return module == OPS or root not in {"opbook", "numpy", *sys.stdlib_module_names}


class _Imports:
    """What Python code calls the builtins and the modules that hold them."""

    def __init__(self) -> None:
        self.builtins: dict[str, str] = {}
        self.modules: dict[str, str] = {}

    def read(self, tree: ast.Module) -> None:
        """Take note of the imports in a tree."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and _may_hold_builtins(node.module):
                self.builtins |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module == "opbook":
                self.modules |= {alias.asname or alias.name: OPS for alias in node.names if alias.name == "ops"}
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name == OPS and alias.asname:
                        self.modules[alias.asname] = OPS
                    elif alias.name.split(".")[0] == "opbook":
                        self.modules[alias.asname or "opbook"] = "opbook"
                    elif _may_hold_builtins(alias.name):
                        self.modules[alias.asname or alias.name.split(".")[0]] = OPS

    def used(self, tree: ast.Module) -> Iterator[str]:
        """Go through the builtins that a tree mentions outside its imports."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.builtins:
                yield self.builtins[node.id]
            elif isinstance(node, ast.Attribute) and self._module(node.value) == OPS:
                yield node.attr

    def _module(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self.modules.get(node.id, "")
        if isinstance(node, ast.Attribute) and self._module(node.value) == "opbook":
            return f"opbook.{node.attr}"
        return ""

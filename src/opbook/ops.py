"""Every registered builtin, importable by name: `from opbook.ops import layer_norm`."""

from opbook.builtins.builtin import Builtin
from opbook.errors import BuiltinImportError, UnknownBuiltinError
from opbook.plugins.catalogue import catalogue


def __getattr__(name: str) -> Builtin:
    if name.startswith("_"):  # Python itself asks modules for such names, and expects this answer
        raise AttributeError(name)
    try:
        return catalogue()[name]
    except UnknownBuiltinError as error:
        # an AttributeError would be replaced by the import statement, and the nearest names with it
        raise BuiltinImportError(str(error), name=name) from None


def __dir__() -> list[str]:
    return list(catalogue())

"""The source of a plugin of one file, for tests to load as it is, or with hooks of their own added."""

TWICE = '''
from opbook import Array, builtin, hookimpl

# Twice.
@builtin(category="Tests")
def twice(x: Array["..."]) -> Array["..."]:
    """Doubles x."""
    return 2 * x

@hookimpl
def opbook_builtins():
    return [twice]
'''

"""The command line: `opbook list`, `show`, `run`, `eval`, `repl`, `plugins`, `doctor`, `examples`, `site` and `serve`.

Needs the extra `opbook[cli]`. What a command does stands in the rest of the package; here is what a shell sees of it.
Exit codes: 0 for success, 1 for a check that failed, 2 for a mistake of the user, 3 for one of opbook or of a plugin.
"""

from opbook.cli.root import main

__all__ = ["main"]

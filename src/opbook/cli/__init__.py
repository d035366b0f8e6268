"""The command line, one module a command or a few that belong together; needs the extra `opbook[cli]`.

It may import everything. Exit codes: 0 for success, 1 for a check that failed, 2 for a mistake of the user, 3 for one
of opbook or of a plugin.
"""

from opbook.cli.root import main

__all__ = ["main"]

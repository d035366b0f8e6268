"""The `opbook` command; also `python -m opbook`."""

import os
import sys


def main() -> None:
    """Run the command line, or say what is missing for it."""
    try:
        from opbook.cli import main as commands
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("click", "packaging", "rich", "tomlkit"):
            raise
        print(f'opbook: the command line needs {package}: pip install "opbook[cli]"', file=sys.stderr)
        sys.exit(2)
    if sys.stdout is None or sys.stderr is None:  # closed by a caller who wants no output
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the life of the process
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal or pipe of a narrow encoding is no reason to stop
            stream.reconfigure(errors="replace")
    commands(prog_name="opbook")


if __name__ == "__main__":
    main()

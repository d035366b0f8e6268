#!/usr/bin/env python3
"""The one command of this project; needs nothing but Python 3.11 or newer.

    python3 dev.py serve     build the builtin index and serve it, rebuilt at every change
    python3 dev.py site      build it into site/
    python3 dev.py test      run all tests, the examples on the pages among them
    python3 dev.py check     lint, format, types, and a strict build of the site
    python3 dev.py setup     only install

Arguments behind the command go to the tool that it runs: python3 dev.py test -k tape -n 2

What it needs is installed with pip into .venv beside this file, once, and again when a pyproject.toml changes. Delete
that folder to be rid of it; nothing is written elsewhere.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this line is what tells the user of an older Python
    sys.exit(
        "opbook needs Python 3.11 or newer, and this is {}.{} ({}). Run dev.py with a newer one, for example "
        "python3.11 dev.py".format(*sys.version_info[:2], sys.executable)
    )

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "opbook-dev.json"
LOG = VENV / "install.log"
EXTRAS = "site,test,dev"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}
COMMANDS = {
    "serve": ["opbook", "site", "serve"],
    "site": ["opbook", "site", "build", "--strict"],
    "test": ["pytest"],
}


def main(arguments: list[str]) -> None:
    """Run a command of this file.

    Args:
        arguments: The command and what it passes on.
    """
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command in ("", "-h", "--help", "help"):
        print(__doc__)
        sys.exit(0 if command else 2)
    if command not in (*COMMANDS, "check", "setup"):
        fail(f"there is no command {command}; the commands are {', '.join(COMMANDS)}, check and setup", code=2)
    if command in ("check", "setup") and rest:
        fail(f"{command} takes no arguments, but {' '.join(rest)} came", code=2)
    set_up()
    os.chdir(ROOT)
    if command == "check":
        check()
    elif command != "setup":
        become(COMMANDS[command] + rest)


def fail(message: str, code: int = 1) -> NoReturn:
    """Stop with a message.

    Args:
        message: What is wrong and what to do.
        code: The exit code.
    """
    print(f"dev.py: {message}", file=sys.stderr)
    sys.exit(code)


def set_up() -> None:
    """Make the virtual environment and install into it, unless that was done before."""
    plugins = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
    key = fingerprint(plugins)
    if is_ready(key):
        return
    with one_at_a_time():
        if is_ready(key):
            return
        # pip would leave the entry points of plugins behind whose folders are gone
        gone = set(installed()[1]) - set(plugins)
        STAMP.unlink(missing_ok=True)
        make_venv(afresh=bool(gone))
        install(plugins)
        STAMP.write_text(json.dumps([key, plugins]), encoding="utf-8")


def is_ready(key: str) -> bool:
    """Tell whether the environment is there, works, and is the one that the hash describes."""
    return installed()[0] == key and venv_version() >= (3, 11)


def fingerprint(plugins: list[str]) -> str:
    """Say what the environment depends on, as a hash.

    Args:
        plugins: The folders in plugins/.

    Returns:
        Another text whenever a pyproject.toml, the set of plugins or the place of the project is another.
    """
    digest = hashlib.sha256(repr((str(ROOT), EXTRAS, plugins)).encode())
    for path in (ROOT, *(ROOT / "plugins" / name for name in plugins)):
        digest.update((path / "pyproject.toml").read_bytes())
    return digest.hexdigest()


def installed() -> tuple[str, list[str]]:
    """Read what the last complete installation noted down: its hash and its plugins, empty if there was none."""
    try:
        key, plugins = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "", []
    return key, plugins


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Hold a second dev.py back that was started while the first one installs."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    name = hashlib.sha256(str(ROOT).encode()).hexdigest()[:16]
    with open(Path(tempfile.gettempdir()) / f"opbook-dev-{os.getuid()}-{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_venv(afresh: bool) -> None:
    """Create the virtual environment if there is none that works.

    Args:
        afresh: Whether to do so in any case.
    """
    if not afresh and venv_version() >= (3, 11):
        return
    try:
        import ensurepip
        import venv

        del ensurepip
    except ImportError:
        version = "{}.{}".format(*sys.version_info[:2])
        fail(
            f"this Python ({sys.executable}) has no venv module with pip. On Debian and Ubuntu install it with\n"
            f"    apt install python{version}-venv        (or python3-venv)"
        )
    print(f"Creating the virtual environment {VENV}", flush=True)
    try:
        venv.create(VENV, clear=True, with_pip=True, symlinks=os.name != "nt")
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(VENV, ignore_errors=True)
        fail(f"the virtual environment {VENV} could not be created: {error}")


def venv_version() -> tuple[int, ...]:
    """Ask the Python in .venv for its version; () if it does not run or has no pip."""
    code = "import sys, pip; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(map(int, answer.stdout.split()))


def install(plugins: list[str]) -> None:
    """Install the project and its plugins, editable, with one pip command.

    Args:
        plugins: The folders in plugins/.
    """
    targets = [f"{ROOT}[{EXTRAS}]", *(str(ROOT / "plugins" / name) for name in plugins)]
    options = [option for target in targets for option in ("-e", target)]
    print(
        f"Installing opbook and {len(plugins)} plugins (editable), with what the site and the tests need, into\n"
        f"    {VENV}\nThis is done once, downloads about 60 MB, and takes about a minute.",
        flush=True,
    )
    start = time.monotonic()
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar=off", *options]
    with open(LOG, "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace"
        )
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            show_progress(f"{time.monotonic() - start:4.0f} s  {line.strip()}")
    show_progress("")
    if process.wait():
        tail = "".join(LOG.read_text(encoding="utf-8").splitlines(keepends=True)[-15:])
        fail(f"pip could not install (is there a network?). The end of {LOG}:\n{tail}")
    print(f"Installed in {time.monotonic() - start:.0f} s.", flush=True)


def show_progress(text: str) -> None:
    """Rewrite the line that the cursor is on, in a terminal only.

    Args:
        text: What to show, or "" to clear the line.
    """
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{text[:width]:{width}}", end="" if text else "\r", flush=True)


def check() -> None:
    """Lint, check the types and build the site, all of them even if one fails."""
    failed = []
    for name, arguments in {**CHECKS, "site": COMMANDS["site"]}.items():
        print(f"== {name}: {' '.join(arguments)}", flush=True)
        if subprocess.run([PYTHON, "-m", *arguments]).returncode:
            failed.append(name)
    if failed:
        fail(f"failed: {', '.join(failed)}")
    print("== all checks passed", flush=True)


def become(arguments: list[str]) -> NoReturn:
    """Run a module in the virtual environment, in the place of this process where the system can do that.

    Args:
        arguments: The module and its arguments.
    """
    command = [str(PYTHON), "-m", *arguments]
    sys.stdout.flush()
    if os.name != "nt":
        os.execv(command[0], command)  # signals and the exit code need nothing passing on
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)

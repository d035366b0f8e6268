#!/usr/bin/env python3
"""The one command of this project; needs nothing but Python 3.11 or newer.

    python3 dev.py serve     build the builtin index and serve it, rebuilt at every change
    python3 dev.py site      build it into site/
    python3 dev.py test      run all tests, the examples on the pages among them
    python3 dev.py check     lint, format, types, and a strict build of the site
    python3 dev.py setup     only install
    python3 dev.py dist      build the wheels of opbook and its plugins, and opbook-standard, which needs nearly all

Arguments behind the command go to the tool that it runs: python3 dev.py test -k tape -n 2

What it needs is installed with pip into .venv beside this file, once, and again when a pyproject.toml changes. Delete
that folder to be rid of it; all else that is written is the site, in site/, what its checks said, in .cache/, and
wheels, in dist/.
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
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "opbook-dev.json"
LOG = VENV / "install.log"
OPTIONAL = {"torch"}  # plugins that need a framework of some hundred MB: pip install -e plugins/torch
TO_READ = "site,test"  # the guides about tests run their examples as well
TO_DEVELOP = "site,test,dev"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

DIST = ROOT / "dist"
EPOCH = "315532800"  # the date of what is in a wheel: 1980, the earliest that a zip file can hold
STANDARD = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "opbook-standard"
version = "{version}"
description = "All of opbook: the framework and every plugin of its book."
requires-python = ">=3.11"
license = "MIT"
authors = [{{ name = "The opbook authors" }}]
dependencies = {needs}

[project.optional-dependencies]
{extras}

[tool.hatch.build.targets.wheel]
bypass-selection = true
"""

CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}
COMMANDS = {
    "serve": ["opbook", "site", "serve"],
    "site": ["opbook", "site", "build", "--strict"],
    "test": ["pytest", "--numprocesses=auto", "--maxprocesses=4", "--dist=worksteal"],  # a later -n 0 undoes it
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
    if command not in (*COMMANDS, "check", "setup", "dist"):
        fail(f"there is no command {command}; the commands are {', '.join(COMMANDS)}, check, setup and dist", code=2)
    if command in ("check", "setup", "dist") and rest:
        fail(f"{command} takes no arguments, but {' '.join(rest)} came", code=2)
    set_up(TO_READ if command in ("serve", "site") else TO_DEVELOP)
    os.chdir(ROOT)
    if command == "check":
        check()
    elif command == "dist":
        build_wheels()
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


def set_up(extras: str) -> None:
    """Make the virtual environment and install into it, unless that was done before.

    Args:
        extras: The extras of opbook that are needed: `TO_READ` or `TO_DEVELOP`.
    """
    plugins = standard_plugins()
    key = fingerprint(plugins)
    if is_ready(key, extras):
        return
    with one_at_a_time():
        if is_ready(key, extras):
            return
        before = installed()
        # pip would leave the entry points of plugins behind whose folders are gone
        gone = set(before.get("plugins", ())) - set(plugins)
        extras = max([extras, *before.get("extras", ())], key=len)
        STAMP.unlink(missing_ok=True)
        make_venv(afresh=bool(gone))
        install(plugins, extras)
        STAMP.write_text(json.dumps({"key": [key], "extras": [extras], "plugins": plugins}), encoding="utf-8")


def is_ready(key: str, extras: str) -> bool:
    """Tell whether the environment works, and is what a hash describes, with these extras at least."""
    found = installed()
    return found.get("key") == [key] and found["extras"] in ([extras], [TO_DEVELOP]) and venv_version() >= (3, 11)


def fingerprint(plugins: list[str]) -> str:
    """Say what the environment depends on, as a hash.

    Args:
        plugins: The folders in plugins/.

    Returns:
        Another text whenever a pyproject.toml, the set of plugins or the place of the project is another.
    """
    digest = hashlib.sha256(repr((str(ROOT), plugins)).encode())
    for folder in folders(plugins):
        digest.update((folder / "pyproject.toml").read_bytes())
    return digest.hexdigest()


def all_plugins() -> list[str]:
    """The folders in plugins/."""
    return sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))


def standard_plugins() -> list[str]:
    """Those that are installed here, and that opbook-standard needs."""
    return [name for name in all_plugins() if name not in OPTIONAL]


def folders(plugins: list[str]) -> list[Path]:
    """The folders of all distributions: the project's own and its plugins'."""
    return [ROOT, *(ROOT / "plugins" / name for name in plugins)]


def installed() -> dict[str, list[str]]:
    """Read what the last complete installation noted down, empty if there was none: key, extras and plugins."""
    try:
        found: dict[str, list[str]] = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


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
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another dev.py that is installing.", flush=True)
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


def install(plugins: list[str], extras: str) -> None:
    """Install the project and its plugins, editable.

    Args:
        plugins: The folders in plugins/.
        extras: The extras of opbook.
    """
    for_tests = ", and the tests and checks" if extras == TO_DEVELOP else ""
    print(
        f"Installing opbook and its {len(plugins)} plugins (editable), with what the site needs{for_tests}, into\n"
        f"    {VENV}\n"
        f"Once, and again when a pyproject.toml changes; up to {155 if for_tests else 75} MB to download.",
        flush=True,
    )
    start = time.monotonic()
    LOG.unlink(missing_ok=True)
    # the tools that build the distributions are installed once, and not by pip for each of them anew: twice as fast
    pip([*build_tools(plugins), "editables"], start)
    main, *others = map(str, folders(plugins))
    editable = [option for target in (f"{main}[{extras}]", *others) for option in ("-e", target)]
    pip(["--no-build-isolation", *editable], start)
    show_progress("")
    print(f"Installed in {time.monotonic() - start:.0f} s.", flush=True)


def build_tools(plugins: list[str]) -> list[str]:
    """What the distributions need to be built, from their pyproject.toml files."""
    found = set()
    for folder in folders(plugins):
        found.update(tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"])
    return sorted(found)


def pip(arguments: list[str], start: float) -> None:
    """Run `pip install`, with its output in a file.

    Args:
        arguments: What to install.
        start: When the installation began.
    """
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar=off", *arguments]
    with open(LOG, "a", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace"
        )
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            show_progress(f"{time.monotonic() - start:4.0f} s  {line.strip()}")
    if process.wait():
        show_progress("")
        tail = "".join(LOG.read_text(encoding="utf-8").splitlines(keepends=True)[-15:])
        fail(f"pip could not install (is there a network?). The end of {LOG}:\n{tail}")


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


def build_wheels() -> None:
    """Build the wheels of all distributions, and of one that needs those of the book, into dist/."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        standard = Path(folder, "opbook-standard")
        standard.mkdir()
        (standard / "pyproject.toml").write_text(standard_of(folders(standard_plugins())), encoding="utf-8")
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", f"--wheel-dir={DIST}"]
        command = [
            str(PYTHON),
            "-m",
            "pip",
            "wheel",
            *options,
            *map(str, [*folders(all_plugins()), standard]),
        ]
        if subprocess.run(command, env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH}).returncode:
            fail("the wheels could not be built; what pip said stands above")
    wheels = list(DIST.glob("*.whl"))
    print(
        f"Built {len(wheels)} wheels in {DIST}. In another environment:\n"
        f'    pip install --find-links {DIST} "opbook-standard[site]"'
    )


def standard_of(sources: list[Path]) -> str:
    """Write the pyproject.toml of opbook-standard.

    Args:
        sources: The folders of what it needs, opbook's first.
    """
    projects = [tomllib.loads((path / "pyproject.toml").read_text(encoding="utf-8"))["project"] for path in sources]
    main = projects[0]
    extras = (f'{name} = ["opbook[{name}]"]' for name in main["optional-dependencies"] if name not in ("dev", "fast"))
    needs = json.dumps([f"{project['name']}=={project['version']}" for project in projects])
    return STANDARD.format(version=main["version"], needs=needs, extras="\n".join(extras))


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

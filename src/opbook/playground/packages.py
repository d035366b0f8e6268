"""opbook and the plugins of a site as one archive, for Python in the page."""

import importlib.util
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from opbook.plugins.catalogue import Catalogue
from opbook.plugins.distributions import GROUP, canonical, entry_points_of

HOME = "/opbook"
"""Where the archive is unpacked in the page."""

_FILES = "plugins"
_LEFT_OUT = {"opbook": ("cli", "mkdocs", "pages", "testing")}
_THERE = ("numpy",)
_COMPILED = (".so", ".pyd", ".dylib")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def archive(loaded: Catalogue) -> bytes:
    """Pack opbook, the plugins that are loaded and what they need, as far as it is Python only.

    Returns:
        A zip file, the same whenever its contents are.
    """
    contents = dict(_contents(loaded))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            zipped.writestr(entry, contents[name])
    return stream.getvalue()


def environment(loaded: Catalogue) -> dict[str, str]:
    """The settings that hold in the page, as environment variables."""
    settings = loaded.settings
    files = [f"{HOME}/{_FILES}/{path.name}" for path in _plugin_files(loaded)]
    found = {
        "OPBOOK_PLUGINS": ":".join(files),
        "OPBOOK_OVERRIDE": _pairs(settings.override.items()),
        "OPBOOK_RULES": _pairs(settings.rules.items()),
    }
    return {name: value for name, value in found.items() if value}


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return ",".join(f"{name}={value}" for name, value in sorted(pairs))


def _plugin_files(loaded: Catalogue) -> list[Path]:
    return [Path(info.path) for info in loaded.plugins if info.state == "loaded" and info.source.is_file and info.path]


def _contents(loaded: Catalogue) -> Iterator[tuple[str, bytes]]:
    for path in _plugin_files(loaded):
        yield f"{_FILES}/{path.name}", path.read_bytes()
    named = {info.source.distribution for info in loaded.plugins if info.state == "loaded" and info.source.distribution}
    modules = _modules()
    for found in _with_requirements({"opbook", *named}):
        name = canonical(found.metadata["Name"])
        tops = modules.get(name, set()) | {point.module.partition(".")[0] for point in entry_points_of(found)}
        files = [entry for module in tops for entry in _files(module, _LEFT_OUT.get(name, ()))]
        if any(path.suffix in _COMPILED for _, path in files):
            continue  # a plugin that needs it can't be loaded in the page, and its builtins are not there
        yield from ((arcname, path.read_bytes()) for arcname, path in files)
        yield from _metadata(found)


def _with_requirements(names: Iterable[str]) -> list[Distribution]:
    """Distributions and all that they need, by name, without what is there already."""
    found: dict[str, Distribution] = {}
    pending = sorted(map(canonical, names))
    while pending:
        name = pending.pop()
        if name in found or name in _THERE:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # for other systems or versions of Python
            continue
        needs = (text for text in found[name].requires or () if "extra ==" not in text.replace("'", '"'))
        pending += [canonical(match[0]) for text in needs if (match := re.match(r"[\w.-]+", text))]
    return [found[name] for name in sorted(found)]


def _modules() -> dict[str, set[str]]:
    """The modules at the top of each distribution. Of one that was installed for development, plugins tell."""
    found: dict[str, set[str]] = {"opbook": {"opbook"}}
    for module, names in packages_distributions().items():
        for name in names:
            found.setdefault(canonical(name), set()).add(module)
    return found


def _files(module: str, left_out: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The files of a module at the top, each with its name in the archive."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        return
    for folder in map(Path, spec.submodule_search_locations or ()):
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if path.is_file() and "__pycache__" not in inner.parts and inner.parts[0] not in left_out:
                yield f"{module}/{inner.as_posix()}", path
    if not spec.submodule_search_locations and spec.origin:
        yield Path(spec.origin).name, Path(spec.origin)


def _metadata(found: Distribution) -> Iterator[tuple[str, bytes]]:
    """What `importlib.metadata` reads of a distribution."""
    name, version = found.metadata["Name"], found.version
    folder = f"{re.sub(r'[-_.]+', '_', name)}-{version}.dist-info"
    lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {text}" for text in found.requires or ()]
    yield f"{folder}/METADATA", ("\n".join(lines) + "\n").encode()
    points = [f"{point.name} = {point.module}" for point in entry_points_of(found)]
    if points:
        yield f"{folder}/entry_points.txt", "\n".join([f"[{GROUP}]", *points, ""]).encode()

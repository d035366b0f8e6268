"""Builds and serves a site: MkDocs driven from Python, which spares its banners and its tracebacks."""

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from opbook.errors import OpbookError
from opbook.examples.files import replacing
from opbook.mkdocs.progress import shown

EPOCH = "315532800"
"""The date of a build where `SOURCE_DATE_EPOCH` says none: the earliest that a zip file can hold."""

_NOISE = ("Cleaning site directory", "Building documentation to directory", "Documentation built in")


class SiteError(OpbookError, RuntimeError):
    """A site that could not be built or served; what was wrong with it has been printed before."""


def build(
    config_file: str | PathLike[str] = "mkdocs.yml",
    site_dir: str | PathLike[str] | None = None,
    strict: bool = True,
) -> Path:
    """Build a site; if that fails, a site that was there before stays as it was.

    Args:
        config_file: The site's `mkdocs.yml`.
        site_dir: The folder to build into, by default the one that the configuration names.
        strict: Whether warnings are failures.

    Raises:
        SiteError: It could not be built.
    """
    with _mkdocs(), _environment(SOURCE_DATE_EPOCH=os.environ.get("SOURCE_DATE_EPOCH", EPOCH)):
        from mkdocs.commands.build import build as build_site
        from mkdocs.config import load_config

        config = load_config(str(config_file), strict=strict)
        target = Path(site_dir or config.site_dir).resolve()
        _refuse_other_folders(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as draft:
            config.site_dir = str(draft)
            config.plugins.on_startup(command="build", dirty=False)
            try:
                with shown():
                    build_site(config)
            finally:
                config.plugins.on_shutdown()
    return target


def serve(
    config_file: str | PathLike[str] = "mkdocs.yml", address: str = "127.0.0.1:8000", strict: bool = False
) -> None:
    """Serve a site, and build it again when its pages or the source of its plugins change. Ends with Ctrl-C.

    Args:
        config_file: The site's `mkdocs.yml`.
        address: Host and port. The default is seen by this machine only.
        strict: Whether warnings are failures.

    Raises:
        SiteError: The first build failed, or the address is taken.
    """
    _refuse_taken(address)
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # it would be a change in a folder that is watched
    try:
        with _mkdocs():
            from mkdocs.commands.serve import serve as serve_site

            serve_site(str(config_file), dev_addr=address, strict=strict or None)
    except OSError as error:
        raise _taken(address, error) from error
    finally:
        sys.dont_write_bytecode = before


def _refuse_taken(address: str) -> None:
    """Try the address before a build takes its time."""
    host, _, port = address.rpartition(":")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will: a port just left is free
        try:
            probe.bind((host.strip("[]"), int(port)))
        except OSError as error:
            raise _taken(address, error) from error


def _taken(address: str, error: OSError) -> SiteError:
    return SiteError(
        f"cannot serve on {address}: {error.strerror}. Choose another port with --port, such as --port 8001"
    )


def _refuse_other_folders(target: Path) -> None:
    """A folder that is replaced must be a site: a mistyped path should not cost what is there."""
    if target.is_dir() and any(target.iterdir()) and not (target / "index.html").is_file():
        raise SiteError(f"{target} is not empty and holds no site (no index.html); choose another folder")
    if target.is_file():
        raise SiteError(f"{target} is a file; choose a folder to build the site in")


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _Lines(logging.Handler):
    """Prints what MkDocs says, a line for each message, without its announcements of the obvious."""

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if not message.startswith(_NOISE):
            prefix = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
            print(f"{prefix}{message}", file=sys.stderr, flush=True)


@contextmanager
def _mkdocs() -> Iterator[None]:
    """Print MkDocs' messages, and turn its ways of giving up into one error."""
    try:
        import mkdocs.exceptions
    except ImportError as error:
        raise SiteError("the site needs MkDocs, Material and mkdocstrings: pip install 'opbook[site]'") from error
    logger = logging.getLogger("mkdocs")
    handler = _Lines()
    before: tuple[Any, ...] = (logger.level, logger.propagate)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    except mkdocs.exceptions.Abort as error:
        raise SiteError("the site was not built") from error
    except mkdocs.exceptions.MkDocsException as error:
        raise SiteError(f"the site was not built: {error.format_message()}") from error
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]

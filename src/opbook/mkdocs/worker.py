"""Asks a fresh process for the pages."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger

from opbook.pages.site import Site

log = get_plugin_logger("opbook")


class PagesError(PluginError):
    """Pages that could not be made; nothing of the site has been touched."""


Put = Mapping[str, tuple[str, str]]
"""Pages as they are published and as they were checked, by how messages name them."""


def ask(options: Mapping[str, Any], folder: str, pages: Put | None = None) -> Site:
    """Let a new process load the plugins and run examples, and write the pages.

    The process ends when this one does, however that happens.

    Args:
        options: The fields of an `opbook.pages.site_options.SiteOptions`.
        folder: The working directory of the process; messages name files as seen from there.
        pages: Pages that have been put together since; then only what is new in them is run, and no page is written.

    Returns:
        The site; if it has failures, nothing should be published.

    Raises:
        PagesError: The process ended early.
    """
    answer, code = _answer({"options": options, "pages": pages}, folder)
    try:
        site = Site(**json.loads(answer))
    except ValueError:
        raise PagesError(
            f"opbook: the process that loads plugins and runs examples ended early (exit code {code}). "
            "What it wrote stands above; opbook examples says which example it was."
        ) from None
    for warning in site.warnings:
        log.warning(warning)
    if site.traceback:
        log.debug(site.traceback)
    return site


def _answer(request: Mapping[str, Any], folder: str) -> tuple[bytes, int]:
    # It must not write bytecode: that would be a change in a folder that is watched.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "opbook.pages"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended; its exit code is told
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        answer = process.stdout.read()  # and keep its input open, by which it knows that somebody waits
    return answer, process.returncode


def refuse(failures: Sequence[str]) -> None:
    """Stop the build if there is a reason.

    Raises:
        PagesError: There is one; its message has them all.
    """
    if len(failures) == 1:
        raise PagesError(f"opbook: {failures[0]}")
    if failures:
        raise PagesError("\n\n".join([f"opbook: {len(failures)} things to mend:", *failures]))

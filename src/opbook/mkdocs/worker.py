"""Asks a fresh process for the pages."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger

from opbook.pages.site import Site

log = get_plugin_logger("opbook")


class PagesError(PluginError):
    """Pages that could not be made; nothing of the site has been touched."""


def ask(options: Mapping[str, Any], folder: str) -> Site:
    """Let a new process load the plugins, run the examples and write the pages.

    Args:
        options: The fields of an `opbook.pages.site_options.SiteOptions`.
        folder: The working directory of the process; messages name files as seen from there.

    Raises:
        PagesError: An example failed, or the process did; the message says where and what to do.
    """
    # It must not write bytecode: that would be a change in a folder that is watched.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    finished = subprocess.run(
        [sys.executable, "-P", "-m", "opbook.pages"],
        input=json.dumps(options).encode(),
        stdout=subprocess.PIPE,
        cwd=folder,
        env=environment,
        check=False,
    )
    try:
        site = Site(**json.loads(finished.stdout))
    except ValueError:
        raise PagesError(
            f"opbook: the process that loads plugins and runs examples ended early (exit code {finished.returncode}). "
            "What it wrote stands above; opbook examples says which example it was."
        ) from None
    for warning in site.warnings:
        log.warning(warning)
    if site.failures:
        log.debug(site.traceback)
        raise PagesError(_listed(site.failures))
    return site


def _listed(failures: list[str]) -> str:
    if len(failures) == 1:
        return f"opbook: {failures[0]}"
    return "\n\n".join([f"opbook: {len(failures)} things to mend:", *failures])

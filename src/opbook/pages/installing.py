"""How a reader installs a distribution: as it was installed for the build, but without paths of the build's machine.

An installer notes down in `direct_url.json` (PEP 610) where a distribution came from if that was no index: a folder, an
archive, a repository.
"""

import posixpath
import urllib.parse
import urllib.request
from pathlib import Path

from opbook.plugins.distributions import direct_url

BY_NAME = "pip install {distribution}"
"""How to install what was installed by its name."""


def install_line(distribution: str, root: Path, by_name: str = BY_NAME) -> tuple[str, str]:
    """Say how to install a distribution.

    Args:
        distribution: Its name.
        root: The folder of the site's project; a folder below it is named as seen from there.
        by_name: The line for what an index has, or a folder of wheels, with `{distribution}` in it.

    Returns:
        A line for a shell, and in words where it works, or "".
    """
    origin = direct_url(distribution)
    url = str(origin.get("url", ""))
    address = urllib.parse.urlsplit(url)
    url = address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()  # without what may be a password
    if not url:
        return by_name.format(distribution=distribution), ""
    if version := origin.get("vcs_info"):
        revision = version.get("commit_id") or version.get("requested_revision", "")
        if not url.startswith("file:"):
            return f'pip install "{distribution} @ {version["vcs"]}+{url}{"@" * bool(revision)}{revision}"', ""
    if not url.startswith("file:"):
        return f'pip install "{distribution} @ {url}"', ""
    path = Path(urllib.request.url2pathname(address.path))
    if path.is_relative_to(root):
        return f"pip install {_below(path, root)}", "in the folder of this site's project"
    if "archive_info" in origin:
        return f"pip install ./{posixpath.basename(url)}", "in the folder that holds this file"
    return "pip install .", "in the folder of its source"


def _below(path: Path, root: Path) -> str:
    below = path.relative_to(root).as_posix()
    return "." if below == "." else f"./{below}"

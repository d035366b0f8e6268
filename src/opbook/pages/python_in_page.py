"""The files with which a site runs Python in the page: where they have been fetched, see `opbook.playground`."""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from opbook.pages.site_options import ASSETS
from opbook.playground.files import MEGABYTES, PARTS, VERSION, lock
from opbook.playground.packages import HOME, archive, environment
from opbook.plugins.catalogue import Catalogue

SCRIPT = "opbook-parts.js"
"""The script that says what there is; among the assets there is one for sites without."""

FOLDER = f"pyodide-{VERSION}"

_SCRIPT = """// What Python in the page is made of. This file is written by the build.
globalThis.opbookPlayground = {{
  folder: new URL("{folder}/", document.currentScript.src).href,
  ...{parts},
}};
"""


def texts(loaded: Catalogue) -> tuple[dict[str, str], dict[str, str]]:
    """Make the files that depend on the site's plugins.

    Returns:
        Texts, and what is no text in base64, each by the address.
    """
    packed = archive(loaded)
    name = f"packages-{hashlib.sha256(packed).hexdigest()[:12]}.zip"
    parts = {"packages": name, "home": HOME, "environment": environment(loaded), "megabytes": MEGABYTES}
    script = _SCRIPT.format(folder=FOLDER, parts=json.dumps(parts, sort_keys=True))
    made = {f"{ASSETS}/{SCRIPT}": script, f"{ASSETS}/{FOLDER}/pyodide-lock.json": lock()}
    return made, {f"{ASSETS}/{FOLDER}/{name}": base64.b64encode(packed).decode()}


def fetched(folder: str) -> Iterator[tuple[str, Path]]:
    """The files that do not depend on them, each with its address; none if there is no folder with them."""
    for part in PARTS if folder else ():
        yield f"{ASSETS}/{FOLDER}/{part.name}", Path(folder, part.name)

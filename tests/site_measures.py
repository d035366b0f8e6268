"""How tall the pages of a built site are, and whether their code fits; `python tests/site_measures.py site` says it."""

import functools
import http.server
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from site_projects import QuietHandler, find_browser

WIDE, NARROW = 1280, 360
MEDIAN, TALLEST = 2782, 7000
"""How tall the page of a builtin, and that of one of the ops that models are built of, is at most."""

FLAGSHIPS = ("layer_norm", "scaled_dot_product_attention", "multi_head_attention", "transformer_block")

_LOOK = """() => {
    const shown = [...document.querySelectorAll("article pre > code")].filter((code) => code.checkVisibility());
    const cut = shown.filter((code) => code.scrollWidth > code.clientWidth + 1);
    const silent = cut.filter((code) => !/auto|scroll/.test(getComputedStyle(code).overflowX));
    const first = (code) => code.textContent.trim().split("\\n")[0];
    return {
        height: document.documentElement.scrollHeight,
        blocks: shown.length,
        cut: cut.map(first),
        silent: silent.map(first),
        sideways: document.documentElement.scrollWidth > innerWidth,
    };
}"""

_OPEN = """() => document.querySelectorAll("article details").forEach((one) => { one.open = true; })"""


@dataclass(frozen=True)
class Measures:
    """What was measured on a page.

    Attributes:
        height: Its height in pixels, with what is folded left folded.
        blocks: How many blocks of code there are, with everything opened.
        cut: The first line of each block that is wider than its room.
        silent: Of those, the ones that can't be scrolled.
        sideways: Whether the page itself scrolls sideways.
    """

    height: int
    blocks: int
    cut: list[str]
    silent: list[str]
    sideways: bool


def measure(page: Any, url: str) -> Measures:
    """Measure a page in a browser's window."""
    page.goto(url, wait_until="load")
    height = page.evaluate(_LOOK)["height"]
    page.evaluate(_OPEN)
    return Measures(**{**page.evaluate(_LOOK), "height": height})


def names(site: Path) -> list[str]:
    """The builtins that have a page in a site."""
    pages = sorted(path.parent.name for path in (site / "builtins").glob("*/index.html"))
    return [name for name in pages if f'id="builtin-{name}"' in (site / "builtins" / name / "index.html").read_text()]


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder on this machine; gives its address."""
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def main(site: Path) -> None:
    """Print what each page of a built site measures."""
    from playwright.sync_api import sync_playwright

    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        wide, narrow = (browser.new_page(viewport={"width": width, "height": 800}) for width in (WIDE, NARROW))
        heights = {}
        blocks = cut = silent = 0
        for name in names(site):
            at_1280, at_360 = (measure(page, f"{address}builtins/{name}/") for page in (wide, narrow))
            heights[name] = at_1280.height
            blocks, cut, silent = blocks + at_1280.blocks, cut + len(at_1280.cut), silent + len(at_360.silent)
            print(
                f"{at_1280.height:6} {at_360.height:6}  {name}", *at_1280.cut, *at_360.silent, sep="\n               "
            )
        browser.close()
    print(f"median {statistics.median(heights.values()):.0f} px at {WIDE}; {blocks} blocks, {cut} cut at {WIDE}")
    print(f"{silent} cut and not to be scrolled at {NARROW}")
    print(", ".join(f"{name} {heights[name]}" for name in FLAGSHIPS if name in heights))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""What a newcomer does, from an empty folder to a page in a browser, with the very commands that are suggested.

Slow, because it is all for real: wheels are built and installed into a fresh environment, a distribution is made,
edited, verified, tested, and served.
"""

import contextlib
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from fresh import Fresh
from site_projects import find_browser

for needed in ("mkdocs", "ruff", "hatchling", "editables"):
    pytest.importorskip(needed, reason="a newcomer's environment is made of what is installed here")

PATIENCE = 120

DEFINITION = """\
    _check_limit(limit)
    return x / np.sqrt(1 + (x / limit) ** 2)
"""
RULE = """\
    shrink = 1 / np.sqrt(1 + (x / limit) ** 2)
    slope = shrink**3
    return x * shrink, lambda g: (g * slope,)
"""


class Newcomer:
    """Types commands, and counts them.

    Attributes:
        home: The folder that it all happens in.
        folder: The folder that `opbook new` made.
        commands: What was typed.
        seconds: How long all of that ran.
    """

    def __init__(self, folder: Path) -> None:
        self.environment = Fresh(folder)
        self.environment.build_wheels()
        self.home = folder / "home"
        self.home.mkdir()
        self.folder = self.home / "opbook-soft-clip"
        self.commands: list[str] = []
        self.seconds = 0.0

    def type(self, command: str, folder: Path | None = None, expect: int = 0) -> str:
        start = time.monotonic()
        done = self.environment.run(command, folder or self.folder)
        self.seconds += time.monotonic() - start
        self.commands.append(command)
        assert done.returncode == expect, f"$ {command}\n{done.stdout}"
        return done.stdout

    def edit(self, old: str, new: str, name: str = "opbook_soft_clip/__init__.py") -> None:
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """Someone who has installed opbook from wheels, made a plugin, and followed what was said to come next."""
    someone = Newcomer(tmp_path_factory.mktemp("newcomer"))
    wheels = someone.environment.settings["PIP_FIND_LINKS"]
    someone.type(f'python -m pip install {wheels}/*.whl "opbook[site,test]"', someone.home)
    del someone.environment.settings["PIP_FIND_LINKS"]  # from here on pip has only what is installed
    said = someone.type("opbook new soft-clip", someone.home)
    change, install, test = re.findall(r"^  (.*)", said.partition("Next:\n")[2], re.MULTILINE)
    someone.commands.append(change)
    assert someone.home / change.removeprefix("cd ") == someone.folder
    someone.type(install)
    assert "failed" not in someone.type(test)
    return someone


def test_as_made_it_passes_everything_that_its_workflow_runs(newcomer: Newcomer) -> None:
    workflow = (newcomer.folder / ".github/workflows/test.yml").read_text(encoding="utf-8")
    commands = re.findall(r"- run: (.*)", workflow)
    assert commands[1:] == ["ruff check", "ruff format --check", "pytest", "opbook site build"]
    for command in commands[1:]:
        done = newcomer.environment.run(command, newcomer.folder)
        assert done.returncode == 0, done.stdout
    done = newcomer.environment.run("opbook verify soft_clip", newcomer.folder)
    assert done.returncode == 0, done.stdout
    assert "0 failed" in done.stdout
    wheel = newcomer.environment.run("python -m pip wheel --quiet --no-deps --wheel-dir ../built .", newcomer.folder)
    assert wheel.returncode == 0, wheel.stdout
    files = newcomer.environment.run("python -m zipfile -l built/*.whl", newcomer.home).stdout
    assert "opbook_soft_clip/examples.md" in files, "an installed plugin has its examples"


def test_it_becomes_an_op_of_the_newcomers_own(newcomer: Newcomer, capsys: pytest.CaptureFixture[str]) -> None:
    """The curve is replaced by another one, with a mistake in its rule at first, and shown in a page."""
    newcomer.edit(DEFINITION, "    _check_limit(limit)\n    return limit * np.tanh(x / limit)\n")
    newcomer.edit(
        RULE,
        "    bent = np.tanh(x / limit)\n    slope = 1 - bent\n    return limit * bent, lambda g: (g * slope,)\n",
    )
    said = newcomer.type("opbook verify soft_clip", expect=1)
    assert "soft_clip, rule gradient: " in said
    assert "soft_clip, examples: " in said
    newcomer.edit("slope = 1 - bent\n", "slope = 1 - bent * bent\n")
    said = newcomer.type("opbook verify soft_clip", expect=1)
    assert "rule gradient" not in said.partition("soft_clip, ")[2]
    advice = re.findall(r"opbook examples --update \S+", said)
    assert advice, said
    newcomer.type(advice[0].rstrip(".,"))
    newcomer.type("opbook verify soft_clip")
    said = newcomer.type("pytest", expect=1)
    assert "test_values_worked_out_by_hand" in said
    newcomer.edit("[2.4, 0, -2.4]", "[4 * np.tanh(0.75), 0, -4 * np.tanh(0.75)]", "tests/test_soft_clip.py")
    newcomer.type("pytest")
    said = newcomer.type("opbook site build", expect=1)
    assert "docs/index.md:5" in said, "the example on the front page prints something else as well"
    newcomer.type("opbook examples --update docs")
    with served(newcomer) as address:
        with urllib.request.urlopen(f"{address}builtins/soft_clip/", timeout=PATIENCE) as answer:
            page = answer.read().decode()
        assert "Bends x smoothly" in page
        assert "0.761594" in page, "the output is the new op's"
        look(f"{address}builtins/soft_clip/")
    with capsys.disabled():
        print(f" [{len(newcomer.commands)} commands, {newcomer.seconds / 60:.1f} minutes of waiting] ", end="")


@contextlib.contextmanager
def served(newcomer: Newcomer) -> Iterator[str]:
    """What `opbook site serve` prints as its address, while it runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = newcomer.home / "serve.log"
    command = [newcomer.environment.bin / "opbook", "site", "serve", "--port", str(port)]
    start = time.monotonic()
    with log.open("w") as output:
        server = subprocess.Popen(
            command, cwd=newcomer.folder, env=newcomer.environment.settings, stdout=output, stderr=output
        )
    try:
        while not (found := re.search(r"Serving on (http://\S+/)", log.read_text(encoding="utf-8"))):
            assert server.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < start + PATIENCE, log.read_text(encoding="utf-8")
            time.sleep(0.05)
        newcomer.seconds += time.monotonic() - start
        newcomer.commands.append("opbook site serve")
        yield found[1]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(PATIENCE)


def look(address: str) -> None:
    """Look at the page in a browser, where there is one: it has a title, a drawn formula, a figure, and no errors."""
    browser = find_browser()
    if not browser:
        return
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        assert page.locator("h1").inner_text().startswith("soft_clip")
        page.locator("math").first.wait_for()
        assert page.locator("article svg").count() > 0
        chromium.close()
    assert problems == []

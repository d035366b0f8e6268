"""The distribution that brings the whole book, built and installed for real from a folder of wheels."""

import importlib.util
import sys
from pathlib import Path

import pytest
from fresh import Fresh
from site_projects import ROOT

for needed in ("mkdocs", "hatchling"):
    pytest.importorskip(needed, reason="what opbook-standard needs is taken from what is installed here")

SITE = """\
site_name: The book
theme:
  name: material
  font: false
plugins:
  - search
  - opbook:
      verify: false
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """Someone who has installed opbook-standard from the folder that dev.py has built, and from nowhere else."""
    environment = Fresh(tmp_path_factory.mktemp("reader"))
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    dev.DIST, dev.PYTHON = environment.wheels, Path(sys.executable)
    dev.build_wheels()
    installed = environment.run('python -m pip install "opbook-standard[site]"', environment.folder)
    assert installed.returncode == 0, installed.stdout
    return environment


def test_it_brings_every_plugin(reader: Fresh) -> None:
    folders = {path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml")} - {"torch"}
    names = [f"opbook-{folder.replace('_', '-')}" for folder in folders]
    assert len(names) > 20
    shown = reader.run(f"python -m pip show {' '.join(names)}", reader.folder)
    assert shown.returncode == 0, shown.stdout
    listed = reader.run("opbook plugins", reader.folder)
    assert listed.returncode == 0, listed.stdout
    assert "failed" not in listed.stdout
    called = reader.run("opbook eval 'print(softmax([0, 0]))'", reader.folder)
    assert called.stdout == "[0.5, 0.5]\n"


def page_of(reader: Fresh, folder: Path, name: str, *options: str) -> str:
    """The page of a builtin, of a site that the reader builds."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs/index.md").write_text("# The book\n", encoding="utf-8")
    lines = "".join(f"      {option}\n" for option in (f"only: [{name}]", *options))
    (folder / "mkdocs.yml").write_text(SITE + lines, encoding="utf-8")
    built = reader.run("opbook site build", folder)
    assert built.returncode == 0, built.stdout
    page = (folder / f"site/builtins/{name}/index.html").read_text(encoding="utf-8")
    assert str(reader.folder) not in page
    assert str(folder) not in page
    return page


def test_it_builds_a_site_whose_pages_say_how_it_was_installed(reader: Fresh, tmp_path: Path) -> None:
    assert "<code>pip install opbook-layer-norm</code>" in page_of(reader, tmp_path, "layer_norm")
    page = page_of(reader, tmp_path, "layer_norm", "install: pip install -f wheels {distribution}")
    assert "<code>pip install -f wheels opbook-layer-norm</code>" in page


def test_a_plugin_that_was_installed_from_a_folder_is_installed_from_there(reader: Fresh, tmp_path: Path) -> None:
    for command in ("opbook new soft-clip", "python -m pip install --no-deps ./opbook-soft-clip"):
        done = reader.run(command, tmp_path)
        assert done.returncode == 0, done.stdout
    assert "<code>pip install ./opbook-soft-clip</code>" in page_of(reader, tmp_path, "soft_clip")

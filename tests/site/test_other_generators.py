"""The folder that `opbook pages write` writes: built by MkDocs without our plugin, and by Zensical."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from site_projects import ROOT, SMALL, Project, broken_links, nothing_installed

from opbook.plugins.catalogue import catalogue

GENERATORS = {
    "mkdocs": [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"],
    "zensical": [sys.executable, "-m", "zensical", "build", "--strict"],
}

DRAWING = '''

# As it is.
@builtin(category="Drawing")
def picture(x: Array["N"]) -> None:
    """Draws a bar."""
    from opbook.figures import Bars, show

    show(Bars((1.0,), title="a *bar*"))
'''

EXAMPLES = """
## In both languages

```qu
picture([1, 2])
```

```python
from opbook.ops import picture

picture([1.0, 2.0])
```
"""


API = """
plugins:
  - search
  - mkdocstrings:
      handlers:
        python:
          paths: [{source}]
          options:
            docstring_options: {{returns_multiple_items: false}}
"""
"""What our own pages need besides: a part of them documents Python, with mkdocstrings."""


def configuration() -> str:
    """The mkdocs.yml that our guide gives to users, word for word."""
    guide = (ROOT / "docs/howto/another-generator.md").read_text(encoding="utf-8")
    return re.search(r"```yaml\n(site_name:.*?)```", guide, re.DOTALL)[1]


def write_pages(project: Project, *options: str) -> subprocess.CompletedProcess[str]:
    """Write the pages of a project into its folder book."""
    return subprocess.run(
        [sys.executable, "-m", "opbook", "pages", "write", str(project.site.parent / "pages"), *options],
        cwd=project.folder,
        env=project.environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(params=GENERATORS)
def build(request: pytest.FixtureRequest) -> Callable[[Project, str], None]:
    """Builds the site of pages that have been written."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed: pip install {request.param}")

    def build(project: Project, config: str) -> None:
        (project.site.parent / "mkdocs.yml").write_text(config, encoding="utf-8")
        built = subprocess.run(
            GENERATORS[request.param], cwd=project.site.parent, capture_output=True, text=True, check=False
        )
        assert built.returncode == 0, built.stdout + built.stderr

    return build


@pytest.fixture
def drawing(tmp_path: Path) -> Project:
    """A small project with a figure in both tabs of an example."""
    project = Project(tmp_path, tmp_path / "book/site", nothing_installed())
    project.write("my_ops.py", SMALL["my_ops.py"])
    project.change("my_ops.py", "\n\n@hookimpl", f"{DRAWING}\n\n@hookimpl")
    project.change("my_ops.py", "[say, double]", "[say, double, picture]")
    project.write("examples.md", EXAMPLES)
    project.write("docs/index.md", SMALL["docs/index.md"].replace("(ops/", "(builtins/"))
    return project


def test_a_small_project_is_whole_with_either(drawing: Project, build: Callable[[Project, str], None]) -> None:
    written = write_pages(drawing, "--docs", "docs", "--plugin", "my_ops.py")
    assert written.returncode == 0, written.stderr
    build(drawing, configuration())
    page = drawing.page("builtins/picture")
    assert page.count('role="img" aria-labelledby="figure-') == 2
    first, second = page.split('class="tabbed-block"')[1:]
    assert "figure-1-title" in first, "each tab has its figure"
    assert "figure-2-title" in second
    assert '<span class="ob-caption">a &#42;bar&#42;</span>' in page.replace("a *bar*", "a &#42;bar&#42;")
    assert re.search(r'<div class="language-output highlight">.*?6.0', drawing.page("builtins/double"), re.DOTALL)
    assert "opbook.css" in page
    assert "<dt>Defined in</dt>" in page.replace("\n", "")
    broken, count = broken_links(drawing.files())
    assert not broken
    assert count > 200


def test_our_pages_are_whole_with_either(tmp_path: Path, build: Callable[[Project, str], None]) -> None:
    project = Project(ROOT, tmp_path / "book/site")
    written = write_pages(project, "--docs", "docs", "--no-verify")
    assert written.returncode == 0, written.stderr
    build(project, configuration() + API.format(source=ROOT / "src"))
    index = project.page("builtins")
    for name, op in catalogue().items():
        page = project.page(f"builtins/{name}")
        assert f'id="builtin-{name}"' in page
        assert "language-output" in page or "ob-figures" in page, f"{name} shows nothing that was computed"
        assert f'href="{name}/"' in index
        assert f">{op.category.replace('&', '&amp;')}</a>" in page
    tapes = [name for name in catalogue() if '<svg class="ob-tape-picture"' in project.page(f"builtins/{name}")]
    assert {"layer_norm", "scaled_dot_product_attention", "gelu"} <= set(tapes)
    guide = project.page("builtins/guides/what-a-head-looks-at")
    assert guide.count('class="ob-figures"') == 3
    broken, count = broken_links(project.files())
    assert not broken, "\n".join(broken)
    assert count > 3000


def test_a_failing_example_leaves_the_folder_as_it_was(drawing: Project) -> None:
    options = ("--docs", "docs", "--plugin", "my_ops.py")
    assert write_pages(drawing, *options).returncode == 0
    page = drawing.folder / "book/pages/builtins/double.md"
    before = page.read_text(encoding="utf-8")
    drawing.change("docs/index.md", "6.0\n", "7.0\n")
    drawing.change("my_ops.py", "Doubles every entry.", "Something new.")
    written = write_pages(drawing, *options)
    assert written.returncode == 1
    assert "docs/index.md:5: the output differs" in written.stderr
    assert "Traceback" not in written.stderr
    assert page.read_text(encoding="utf-8") == before

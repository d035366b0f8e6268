"""All pages of a site, in a process of their own and in a folder: finished Markdown."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pages.conftest import OPS

from opbook.pages.plain import readable
from opbook.pages.site import Site, make
from opbook.pages.site_options import SiteOptions
from opbook.pages.writing import WritingError, write
from opbook.plugins.catalogue import Catalogue, load

Write = Callable[[str, str], Path]

EXAMPLE = "```qu\nsay(double([1]))\nsay(pick(2))\n```\n\n```output\n[2.]\n2.0\n```\n"

DRAWING = """
from opbook import Array, builtin, hookimpl
from opbook.figures import Bars, show


# As it is.
@builtin(category="Drawing")
def picture(x: Array["N"]) -> None:
    '''Draws numbers.'''
    show(Bars((1.0, 2.0), title="two *bars* of $x_1$"))


@hookimpl
def opbook_builtins():
    return [picture]
"""


@pytest.fixture
def site(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Site]:
    """Makes a site of one page of its own, an image, and two plugins of one file."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", list)
    files = [write("ops.py", OPS), write("drawing.py", DRAWING)]
    loaded: list[Catalogue] = []

    def catalogue() -> Catalogue:
        loaded.extend([] if loaded else [load(files)])
        return loaded[0]

    monkeypatch.setattr("opbook.pages.site.catalogue", catalogue)
    monkeypatch.setattr("opbook.plugins.catalogue.catalogue", catalogue)
    write("docs/logo.svg", "<svg/>")
    write("docs/plain.md", "# Nothing to put in\n")

    def site(text: str = EXAMPLE, **changes: object) -> tuple[Site, SiteOptions]:
        write("docs/index.md", text)
        setting = SiteOptions(**{"docs": "docs", "guides": ("docs/index.md",), "verify": False, **changes})
        return make(setting), setting

    return site


GUIDE = """
# Drawn

1.  In a list:

    ```qu
    picture([1])
    ```

    Done.

See [double](builtins/double.md) and [say](builtins/say.md#builtin-say).

<!-- opbook: builtins -->
"""


def test_figures_stand_inside_the_text_where_their_example_ends(site: Callable[..., Site]) -> None:
    made, _ = site(EXAMPLE + GUIDE)
    assert made.failures == []
    text = made.documents["index.md"]
    found = re.search(
        r"^    picture\(\[1\]\)\n    ```\n\n    (<span class=\"ob-figures\".*</span>)\n\n\n?    Done", text, re.M
    )
    assert found, text
    picture = found[1]
    assert "<svg " in picture
    assert not set("*_$`\\") & set(picture), "what Markdown takes for its own is written as HTML does"
    assert "two &#42;bars&#42; of &#36;x&#95;1&#36;" in picture
    assert "plain.md" not in made.documents, "a page with nothing put in is left to its file"


VARIED = """
# Varied

- In a list:

    <!-- example: vary, x = 1, 2, 3 -->
    ```qu
    x = 2
    say(double([x]))
    picture([x])
    ```

    ```output
    [4.]
    ```

    Done.
"""


def test_each_value_of_an_example_that_varies_is_on_its_pages(site: Callable[..., Site]) -> None:
    made, _ = site(EXAMPLE + VARIED)
    assert made.failures == []
    for text in (made.documents["index.md"], made.pages["builtins/picture.md"]):
        (line,) = re.findall(r"^ *<span class=\"ob-frames\" data-name=\"x\">.*</span>$", text, re.M)
        frames = re.findall(
            r'<span class="ob-frame" data-value="(\d)"( data-shown="")?> <span class="ob-frame-name">(.*?)</span> '
            r'<span class="ob-printed">(.*?)</span> <span class="ob-figures">',
            line,
        )
        assert frames == [
            ("1", "", "x = 1", "&#91;2.&#93;"),
            ("2", ' data-shown=""', "x = 2", "&#91;4.&#93;"),
            ("3", "", "x = 3", "&#91;6.&#93;"),
        ]
        ids = re.findall(r'\bid="([^"]+)"', line)
        assert len(ids) == len(set(ids)) == 6
    assert text.count("[4.]") == 1, "the output has the value that stands in the code"
    listed = re.findall(r"^- (.*)$", readable(text), re.M)
    assert [line[:14] for line in listed if "x = " in line] == [f"x = {x} [{2 * x}.] two" for x in (1, 2, 3)]


def test_a_value_with_which_an_example_fails_stops_the_build(site: Callable[..., Site]) -> None:
    made, _ = site(VARIED.replace("1, 2, 3", "1, 2, three"))
    failures = "\n".join(made.failures)
    assert re.search(r"^docs/index.md:7: with x = three, the example fails: nothing is named three", failures, re.M)


NEEDY = """
# Elsewhere

<!-- example: needs, needed_here -->
```qu
picture([1])
say(double([1]))
```

```output
[{}.]
```
"""


def test_an_example_that_needs_a_package_is_shown_alike_with_and_without_it(
    site: Callable[..., Site], write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without, _ = site(EXAMPLE + GUIDE + NEEDY.format(2))
    write("installed/needed_here.py", "")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    with_it, _ = site(EXAMPLE + GUIDE + NEEDY.format(2))
    assert without.failures == with_it.failures == []
    assert (without.pages, without.documents, without.files) == (with_it.pages, with_it.documents, with_it.files)
    text = without.documents["index.md"]
    assert "Needs <code>needed&#95;here</code>: run where that is installed" in text
    assert text.count("<svg") == 1, "of the guide alone"

    wrong, _ = site(EXAMPLE + GUIDE + NEEDY.format(3))
    assert "-[3.]\n+[2.]" in wrong.failures[0]


def test_no_page_has_anything_that_is_yet_to_be_filled_in(site: Callable[..., Site]) -> None:
    made, _ = site(EXAMPLE + GUIDE)
    for uri, text in (made.pages | made.documents).items():
        assert not re.search(r"<!-- opbook|^:::|autoref|obfigures", text, re.MULTILINE), uri
    assert "- [`double`](builtins/double.md#builtin-double)" in made.documents["index.md"]


def test_links_to_what_is_left_out_are_plain_text(site: Callable[..., Site]) -> None:
    made, _ = site(EXAMPLE + GUIDE, only=("double", "pick", "picture"))
    assert "See [double](builtins/double.md) and say." in made.documents["index.md"]
    assert "builtins/say.md" not in made.pages


def test_an_unknown_reference_text_is_named(site: Callable[..., Site]) -> None:
    made, _ = site(EXAMPLE + "\n<!-- opbook: builtin -->\n\n```qu\npicture([1])\n```\n")
    assert made.failures == [
        "index.md: there is no reference text 'builtin' to put in a page. Did you mean builtins? "
        "There are builtins, differentiable-numpy, cli"
    ]


def test_a_folder_has_the_pages_and_all_that_they_need(site: Callable[..., Site], tmp_path: Path) -> None:
    made, setting = site(EXAMPLE + GUIDE)
    target = tmp_path / "written"
    write(made, setting, target)
    files = {path.relative_to(target).as_posix(): path for path in target.rglob("*") if path.is_file()}
    assert {*made.pages, *made.documents, *made.files, "objects.inv", "logo.svg", "plain.md"} <= files.keys()
    assert {"assets/opbook/opbook.css", "assets/opbook/math/opbook-math.woff2"} <= files.keys()
    assert files["index.md"].read_text() == made.documents["index.md"]
    files["builtins/say.md"].write_text("an edit")
    (target / "builtins/gone.md").write_text("of an earlier call")
    write(made, setting, target)
    assert files["builtins/say.md"].read_text() == made.pages["builtins/say.md"]
    assert not (target / "builtins/gone.md").exists()


def test_a_folder_with_something_else_is_left_alone(site: Callable[..., Site], tmp_path: Path) -> None:
    made, setting = site(EXAMPLE + "\n```qu\npicture([1])\n```\n")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/years.txt").write_text("of work")
    with pytest.raises(WritingError, match="holds what opbook has not written"):
        write(made, setting, tmp_path / "thesis")
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["years.txt"]


def test_the_process_writes_nothing_but_json_to_standard_output(
    write: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    worker = pytest.importorskip("opbook.mkdocs.worker", reason="it is asked by the extra opbook[site]")
    source = 'import os, sys\nprint("hello from Python")\nos.write(1, b"hello from C\\n")\n'
    write("loud.py", source + "from opbook import hookimpl\n@hookimpl\ndef opbook_builtins():\n    return []\n")
    write("docs/numpy.md", "<!-- opbook: differentiable-numpy -->\n")
    setting = SiteOptions(plugins=(str(tmp_path / "loud.py"),), docs=str(tmp_path / "docs"), verify=False)
    made = worker.ask(dataclasses.asdict(setting), str(tmp_path))
    said = capfd.readouterr().err
    assert "hello from Python" in said
    assert "hello from C" in said
    assert "np.exp" in made.documents["numpy.md"]
    assert str(tmp_path / "loud.py") in made.watch

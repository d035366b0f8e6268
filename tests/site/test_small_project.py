"""The plugin in a project that is not ours."""

import json
import re
import subprocess
import sys
from collections.abc import Callable

from site_projects import Project


def test_a_project_gets_its_builtins_as_pages(small: Project) -> None:
    built = small.build()
    assert (built.returncode, built.stdout) == (0, ""), built.stderr
    page = small.page("ops/double")
    assert "Doubles every entry." in page
    assert re.search(r'<div class="language-output highlight">.*?6.0', page, re.DOTALL)
    assert re.search(r'from <a href="../../">Welcome</a>', page)
    assert '<span class="arithmatex"><math><mn>2</mn><mi>x</mi></math></span>' in page
    index = small.page("ops")
    row = r'double/"><code>double</code></a>.*?</td>\s*<td>Doubles every entry.'
    assert re.search(f'<a href="{row}', index, re.DOTALL)
    assert re.search(f'<a href="../../{row}', small.page("ops/category/doubling"), re.DOTALL)
    assert 'href="../../double/"><code>double</code></a>' in small.page("ops/plugin/my_ops")
    assert re.search(r"<span[^>]*>\s*Doubling\s*</span>", index), "the category is in the navigation"
    assert (small.site / "assets/opbook/math/opbook-math.woff2").is_file()


def test_two_builds_are_the_same_bytes(new_project: Callable[[str], Project]) -> None:
    sites = []
    for seed, name in enumerate(("one", "another"), start=1):
        project = new_project(name)
        project.environment["PYTHONHASHSEED"] = str(seed)
        built = project.build()
        assert built.returncode == 0, built.stderr
        sites.append(project.files())
    assert sites[0] == sites[1]


def test_a_failing_example_is_named_and_the_site_stays_as_it_was(small: Project) -> None:
    assert small.build().returncode == 0
    before = small.files()
    small.change("docs/index.md", "6.0\n", "7.0\n")
    small.change("my_ops.py", "Doubles every entry.", "Something new.")
    built = small.build()
    assert built.returncode == 1
    assert "docs/index.md:5: the output differs" in built.stderr
    assert "opbook examples --update docs/index.md" in built.stderr
    assert "Traceback" not in built.stderr
    assert small.files() == before
    assert sorted(path.name for path in small.folder.iterdir() if path.name != "__pycache__") == [
        ".cache",
        "docs",
        "mkdocs.yml",
        "my_ops.py",
        "site",
    ]


def test_mkdocs_itself_leaves_the_site_as_it_was_when_a_build_fails(small: Project) -> None:
    def build() -> int:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(small.site)]
        return subprocess.run(
            command, cwd=small.folder, env=small.environment, capture_output=True, check=False
        ).returncode

    assert build() == 0
    (small.site / ".kept").write_text("by somebody else")
    before = small.files()
    small.change("docs/index.md", "6.0", "7.0")
    assert build() != 0, "an example fails"
    assert small.files() == before
    small.change("docs/index.md", "7.0", "6.0")
    small.change("docs/index.md", "# Welcome", "# Welcome\n\n[Nowhere](nowhere.md)")
    assert build() != 0, "a warning, which is known only when everything has been written"
    assert small.files() == before
    small.change("docs/index.md", "[Nowhere](nowhere.md)", "Another text.")
    assert build() == 0
    assert "Another text." in small.page("")
    assert small.files()[".kept"] == b"by somebody else"
    assert not list(small.folder.glob(".site.*")), "nothing is left beside it"


def test_every_failure_is_named_at_once(small: Project) -> None:
    small.change("docs/index.md", "6.0\n", "7.0\n")
    small.write("docs/other.md", "# Other\n\n```pyhton\n1\n```\n")
    built = small.build()
    assert built.returncode == 1
    assert "2 things to mend" in built.stderr
    assert "docs/index.md:5: " in built.stderr
    assert "docs/other.md:3: " in built.stderr


def test_a_plugin_file_that_cannot_be_loaded_fails_the_build(small: Project) -> None:
    small.change("my_ops.py", "from opbook import", "import nowhere\nfrom opbook import")
    built = small.build()
    assert built.returncode == 1
    assert "my_ops.py" in built.stderr
    assert "nowhere" in built.stderr
    assert "Traceback" not in built.stderr


def test_an_example_that_ends_the_process_is_one_message(small: Project) -> None:
    small.write("docs/index.md", "```python\nimport os\n\nos._exit(3)\n```\n")
    built = small.build()
    assert built.returncode == 1
    assert "exit code 3" in built.stderr
    assert "Traceback" not in built.stderr


def test_a_warning_fails_a_strict_build(small: Project) -> None:
    small.change("docs/index.md", "ops/index.md", "ops/nowhere.md")
    built = small.build()
    assert built.returncode == 1
    assert "nowhere.md" in built.stderr
    assert not small.site.exists()


def test_a_page_in_the_way_of_a_generated_one_is_named(small: Project) -> None:
    small.write("docs/ops/double.md", "# Mine\n")
    built = small.build()
    assert built.returncode == 1
    assert "is where a generated page goes" in built.stderr


def test_a_folder_that_holds_something_else_is_not_replaced(small: Project) -> None:
    small.write("site/thesis.md", "Years of work.\n")
    built = small.build()
    assert built.returncode == 1
    assert "holds no site" in built.stderr
    assert (small.site / "thesis.md").is_file()


def test_pages_that_are_no_guides_are_left_alone(small: Project) -> None:
    small.write("docs/other.md", "# Other\n\n```pyhton\n1\n```\n")
    small.change("mkdocs.yml", "index: ops\n", "index: ops\n      guides: [index.md]\n")
    small.change("mkdocs.yml", "- Home: index.md", "- Home: index.md\n  - Other: other.md")
    built = small.build()
    assert built.returncode == 0, built.stderr


def test_the_index_stands_where_the_navigation_says(small: Project) -> None:
    small.change("mkdocs.yml", "  - Ops: ops\n", "  - More:\n      - Ours: ops/\n  - Last: last.md\n")
    small.write("docs/last.md", "# Last\n")
    built = small.build()
    assert built.returncode == 0, built.stderr
    home = small.page("")
    titles = re.findall(r'<span class="md-ellipsis">\s*(.*?)\s*</span>', home, re.DOTALL)
    order = [title for title in titles if title in ("Welcome", "Home", "More", "Ours", "double", "Last")]
    assert [t for i, t in enumerate(order) if t not in order[:i]][-4:] == ["More", "Ours", "double", "Last"]


def test_a_project_can_show_some_builtins_only(small: Project) -> None:
    small.change("mkdocs.yml", "index: ops\n", "index: ops\n      only: [doubling]\n")
    small.change("docs/index.md", "[the index](ops/index.md)", "[the index](ops/index.md) and [say](ops/say.md#x)")
    built = small.build()
    assert built.returncode == 0, built.stderr
    assert not (small.site / "ops/say").exists()
    assert "as <code>say</code> shows" in small.page("ops/double"), "a link to what is not shown is plain text"
    assert ">say</a>" not in small.page("")
    assert [entry["name"] for entry in json.loads(small.files()["builtins.json"])["builtins"]] == ["double"]


def test_an_unknown_word_in_only_is_named(small: Project) -> None:
    small.change("mkdocs.yml", "index: ops\n", "index: ops\n      only: [doubel]\n")
    built = small.build()
    assert built.returncode == 1
    assert "Did you mean double" in built.stderr


def test_source_links_lead_to_the_line(small: Project) -> None:
    url = "https://git.example/{path}#L{line}"
    small.change("mkdocs.yml", "index: ops\n", f'index: ops\n      source_url: "{url}"\n')
    small.change("mkdocs.yml", "theme:\n", "repo_url: https://git.example\ntheme:\n")
    built = small.build()
    assert built.returncode == 0, built.stderr
    source = (small.folder / "my_ops.py").read_text().splitlines()
    line = source.index('@builtin(category="Doubling")') + 1
    assert small.page("ops/double").count(f'href="https://git.example/my_ops.py#L{line}"') >= 2


def test_source_url_with_other_braces_is_refused(small: Project) -> None:
    small.change("mkdocs.yml", "index: ops\n", 'index: ops\n      source_url: "https://git.example/{file}"\n')
    built = small.build()
    assert built.returncode == 1
    assert "{path} and {line}" in built.stderr


def test_a_missing_note_stops_the_build_and_the_site_stays_as_it_was(small: Project) -> None:
    assert small.build().returncode == 0
    before = small.files()
    small.change("my_ops.py", "# It is Python's own.\n", "")
    built = small.build()
    assert built.returncode == 1
    line = (small.folder / "my_ops.py").read_text().splitlines().index('@builtin(category="Text")') + 1
    assert f"my_ops.py:{line}: say has no note" in built.stderr
    assert small.files() == before


def test_an_unknown_cross_link_stops_the_build_and_the_site_stays_as_it_was(small: Project) -> None:
    assert small.build().returncode == 0
    before = small.files()
    small.change("my_ops.py", "[`say`](say.md)", "[`say`](sya.md)")
    built = small.build()
    assert built.returncode == 1
    line = next(
        i for i, text in enumerate((small.folder / "my_ops.py").read_text().splitlines(), 1) if "sya.md" in text
    )
    assert f"my_ops.py:{line}: double links to sya.md, which is no page. Did you mean say.md" in built.stderr
    assert small.files() == before


def test_files_for_machines_are_at_the_root(small: Project) -> None:
    assert small.build().returncode == 0
    files = small.files()
    entries = {entry["name"]: entry for entry in json.loads(files["builtins.json"])["builtins"]}
    assert (small.site / entries["double"]["page"] / "index.html").is_file()
    assert entries["double"]["examples"][0]["output"] == "6.0\n"
    for target in re.findall(r"\]\((\S+)\)", files["llms.txt"].decode()):
        path = small.site / target
        assert path.is_file() or (path / "index.html").is_file(), target
    assert b"# Project: Small" in files["objects.inv"]


def test_a_site_keeps_its_own_overview_for_language_models(small: Project) -> None:
    small.write("docs/llms.txt", "# Mine\n")
    built = small.build()
    assert built.returncode == 0, built.stderr
    assert small.files()["llms.txt"] == b"# Mine\n"


def test_a_formula_that_cannot_be_set_is_named_with_its_line(small: Project) -> None:
    small.change("my_ops.py", "It is $2x$", r"It is $\fraction{2}{x}$")
    small.change("docs/index.md", "Twice three", r"Twice $\hat{3$")
    built = small.build()
    assert built.returncode == 1
    assert r"my_ops.py:15: the formula $\fraction{2}{x}$ can't be set: Unknown command" in built.stderr
    assert r"docs/index.md:3: the formula $\hat{3$ can't be set: Expected closing token" in built.stderr
    assert "Traceback" not in built.stderr

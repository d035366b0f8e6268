"""The plugin in a project that is not ours."""

import re
from collections.abc import Callable

from site_projects import Project


def test_a_project_gets_its_builtins_as_pages(small: Project) -> None:
    built = small.build()
    assert (built.returncode, built.stdout) == (0, ""), built.stderr
    page = small.page("ops/double")
    assert "Doubles every entry." in page
    assert re.search(r'<div class="language-output highlight">.*?6.0', page, re.DOTALL)
    assert re.search(r'from <a href="../../">Welcome</a>', page)
    assert 'class="arithmatex">\\(2x\\)' in page
    index = small.page("ops")
    assert re.search(r'<a href="double/"><code>double</code></a> Doubles every entry.', index)
    assert re.search(r"<span[^>]*>\s*Doubling\s*</span>", index), "the category is in the navigation"
    assert (small.site / "assets/opbook/katex/katex.min.js").is_file()


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
        "docs",
        "mkdocs.yml",
        "my_ops.py",
        "site",
    ]


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

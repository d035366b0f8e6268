from pathlib import Path

import pytest

CONFTEST = """
from sybil import Sybil
from opbook.testing.sybil import ExampleParser

parser = ExampleParser(lambda: {"print": print})
pytest_collect_file = Sybil([parser], pattern="*.md").pytest()
"""

PAGE = """# Title

```python
x = 2
```

<!-- example: continue -->
```python
print(x)
```

```output
2
```

<!-- example: skip, needs a printer -->
```python
1/0
```

```python
print("x" in globals())
```

```output
False
```

```qu
print("a")
```

```output
a
```
"""

CONTINUING = "line:8,column:1"


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # Loading them takes longer than the tests.


@pytest.fixture
def run(pytester):
    def run(text, *arguments, name="page.md", conftest=CONFTEST):
        pytester.makeconftest(conftest)
        pytester.makefile(".md", **{name.removesuffix(".md"): text})
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-rA", *arguments)

    return run


def test_one_test_per_example(run):
    run(PAGE).assert_outcomes(passed=4, skipped=1)


def test_a_wrong_output_is_named_and_shown(run):
    result = run(PAGE.replace("\n2\n", "\n3\n"))
    result.assert_outcomes(passed=3, skipped=1, failed=1)
    result.stdout.fnmatch_lines(["*page.md:8: the output differs*", "--- documented", "+++ printed", "-3", "+2"])


def test_an_error_is_named_without_a_traceback_of_ours(run):
    result = run(PAGE.replace("print(x)", "print(y)"))
    result.stdout.fnmatch_lines(["page.md:9: the example fails: NameError: name 'y' is not defined"])
    result.stdout.no_fnmatch_line("*checking.py*")


def test_a_skip_is_reported_with_its_reason(run):
    run(PAGE).stdout.fnmatch_lines(["SKIPPED*page.md:17: needs a printer"])


@pytest.mark.parametrize("line", [3, 8, 21, 29])
def test_an_example_runs_alone(run, line):
    run(PAGE, f"page.md::line:{line},column:1").assert_outcomes(passed=1)


def test_the_page_runs_in_reverse(run):
    reverse = "\ndef pytest_collection_modifyitems(items):\n    items.reverse()\n"
    run(PAGE, conftest=CONFTEST + reverse).assert_outcomes(passed=4, skipped=1)


def test_the_page_runs_in_two_processes(run):
    pytest.importorskip("xdist")
    run(PAGE, "-p", "xdist", "-n", "2").assert_outcomes(passed=4, skipped=1)


def test_all_are_found_by_keyword(run):
    run(PAGE, "-k", "line").assert_outcomes(passed=4, skipped=1)
    run(PAGE, "-k", "page").assert_outcomes(passed=4, skipped=1)


@pytest.mark.parametrize("wrong", ["py", "Python", "pyhton", ""])
def test_a_misspelt_fence_fails_with_file_and_line(run, wrong):
    result = run(PAGE.replace("```python\n1/0", f"```{wrong}\n1/0"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["page.md:17: *"])


def test_an_examples_page_without_examples_fails(run):
    result = run("", name="examples.md")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["examples.md:1: this page has no example*"])


def test_other_pages_need_none(run):
    run("# Title\n").assert_outcomes()


def test_crlf_and_a_byte_order_mark(run, pytester):
    pytester.makeconftest(CONFTEST)
    pytester.path.joinpath("page.md").write_bytes(("\ufeff" + PAGE.replace("2", "3", 1)).replace("\n", "\r\n").encode())
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, skipped=1, failed=1)
    result.stdout.fnmatch_lines(["*page.md:8: the output differs*"])


def test_the_pages_of_this_project_are_collected(pytester):
    pytester.makeconftest(Path(__file__).parents[2].joinpath("conftest.py").read_text())
    for name in ("README", "docs/a", "docs/b/c", "plugins/x/README", "plugins/x/opbook_x/examples", "other", "tests/d"):
        page = pytester.path / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("```py\nx\n```\n")
    (pytester.path / "plugins/x/opbook_x/__init__.py").write_text("def opbook_builtins(): ...")
    plugin = ("-p", "opbook.testing.pytest_plugin")  # pytester loads no entry points
    result = pytester.runpytest_inprocess("--import-mode=importlib", "-rf", *plugin)
    failed = {line.split("::")[0].removeprefix("FAILED ") for line in result.outlines if line.startswith("FAILED ")}
    assert failed == {
        *("README.md", "docs/a.md", "docs/b/c.md"),
        *("plugins/x/README.md", "plugins/x/opbook_x/examples.md"),
    }
    result.assert_outcomes(failed=6)  # the plugin's page: its fence, and that the plugin is not installed

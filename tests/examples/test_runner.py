import linecache
import sys
import threading
import traceback
import warnings

import numpy as np
import pytest

from opbook.errors import ExampleError, ShapeError
from opbook.examples import Runner, find, run_example, run_pages


def fail(x):
    raise ShapeError(f"x has {x:g} columns but y has 2")


CATALOGUE = {"print": lambda value: print(value), "fail": fail}


def run(text, path="page.md", index=-1):
    return Runner(CATALOGUE).run(find(path, text)[index])


def python(code, directive=""):
    return f"{directive}```python\n{code}\n```\n"


RAISES = "<!-- example: raises -->\n"
CONTINUE = "<!-- example: continue -->\n"


def failure(text, **options):
    with pytest.raises(ExampleError) as caught:
        run(text, **options)
    return str(caught.value)


def test_it_gives_what_is_printed():
    assert run(python("print('a')\nprint(__name__)")) == "a\n__example__\n"


def test_each_example_starts_from_an_empty_namespace():
    text = python("x = 1") + python("print('x' in globals())")
    assert run(text) == "False\n"
    runner = Runner(CATALOGUE)
    first, second = find("page.md", text)
    runner.run(first)
    assert runner.run(second) == "False\n"


def test_an_example_that_continues_runs_what_it_continues_first():
    text = python("x = 1; print('first')") + python("x = 2", CONTINUE) + python("print(x)", CONTINUE)
    assert run(text) == "2\n"
    assert run(text, index=0) == "first\n"


def test_skipped_and_failing_predecessors():
    skipped = (
        python("x = 1") + python("x = 2", "<!-- example: skip, no -->\n" + CONTINUE) + python("print(x)", CONTINUE)
    )
    assert run(skipped) == "1\n"
    raising = python("x = 1\nx()", RAISES) + python("print(x)", CONTINUE)
    assert run(raising) == "1\n"
    failing = python("x = 1\nx()") + python("print(x)", CONTINUE)
    assert failure(failing).startswith("page.md:3: the example fails: TypeError: 'int' object is not callable")


def test_an_error_names_its_line_in_the_page():
    text = "# Title\n\n- item\n\n    ```python\n    def f():\n        return y\n\n    f()\n    ```\n"
    assert failure(text) == "page.md:7: the example fails: NameError: name 'y' is not defined"
    assert failure("\n\n" + python("x = 1\nx = = 2")) == "page.md:5: the example fails: SyntaxError: invalid syntax"


def test_a_traceback_shows_the_code_without_its_indentation(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("> ```python\n> def f():\n>     return y\n>\n> f()\n> ```\n")
    with pytest.raises(ExampleError) as caught:
        Runner({}).run(find(page)[0])
    frames = traceback.extract_tb(caught.value.__cause__.__traceback__)
    assert [(frame.filename, frame.lineno, frame.line) for frame in frames][-2:] == [
        (str(page), 5, "f()"),
        (str(page), 3, "return y"),
    ]


@pytest.mark.parametrize("code", ["raise SystemExit(0)", "exit()", "import pytest\npytest.skip('no')"])
def test_leaving_is_a_failure(code):
    assert "the example fails: " in failure(python(code))


def test_a_warning_is_an_error_that_names_it():
    assert failure(python("import warnings\nwarnings.warn('far')")) == (
        "page.md:3: the example gives a warning: UserWarning: far"
    )
    assert "RuntimeWarning: divide by zero" in failure(python("import numpy as np\nnp.log(np.zeros(1))"))
    own = python("import warnings\nwarnings.warn('old', DeprecationWarning)")
    assert "DeprecationWarning: old" in failure(own)


def test_the_deprecations_of_others_are_not_its_fault(monkeypatch):
    monkeypatch.setattr(np, "old", lambda: warnings.warn("old", DeprecationWarning, stacklevel=1), raising=False)
    assert run(python("import numpy as np\nnp.old()\nprint(1)")) == "1\n"


def test_source_can_be_inspected_inside_and_after(tmp_path):
    page = tmp_path / "page.md"
    code = "import inspect\n\n# Why.\n@staticmethod\ndef f(x):\n    return x\n\nclass C:\n    a = 1\n"
    shown = "print(inspect.getsource(f.__func__), inspect.getcomments(f.__func__), inspect.getsource(C))"
    lines = "".join(f"    {line}\n" if line else "\n" for line in [*code.split("\n"), shown])
    page.write_text(f"- a\n\n    ```python\n{lines}    ```\n")
    expected = "@staticmethod\ndef f(x):\n    return x\n # Why.\n class C:\n    a = 1\n\n"
    assert Runner({}).run(find(page)[0]) == expected


def test_the_source_of_an_edited_page_is_not_mixed_up_with_the_old():
    run(python("x = 1\ny = 2\nz = 3"))
    run(python("x = 4") + python("y = 5"))
    assert linecache.getlines("page.md")[:3] == ["\n", "x = 1\n", "y = 2\n"]  # of a page's other examples: as before
    run(python("x = 4") + python("y = 5"), index=0)
    assert linecache.getlines("page.md")[:6] == ["\n", "x = 4\n", "\n", "\n", "y = 5\n", "\n"]


def test_dataclasses_with_postponed_annotations_work():
    imports = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    assert run(python(imports + "@dataclass\nclass P:\n    x: int\nprint(P(1))")) == "P(x=1)\n"
    assert "__example__" not in sys.modules


def test_numpy_settings_do_not_leak():
    before = np.get_printoptions()["precision"], np.geterr()
    run(python("import numpy as np\nnp.set_printoptions(precision=2)\nnp.seterr(all='raise')"))
    assert (np.get_printoptions()["precision"], np.geterr()) == before


def test_an_expected_error_is_the_end_of_the_output():
    assert run(python("print(1)\nint('x')", RAISES)) == ("1\nValueError: invalid literal for int() with base 10: 'x'\n")
    assert run(python("raise ValueError", RAISES)) == "ValueError\n"


def test_an_expected_error_must_come():
    assert failure(python("print(1)", RAISES)) == "page.md:2: this example is marked `raises` but runs to its end."
    assert "SystemExit" in failure(python("raise SystemExit(1)", RAISES))


def test_qu_runs_with_the_catalogue_that_is_given():
    assert run('```qu\nx = 2\nprint("{x}")\n```\n') == "2\n"


def test_qu_namespaces_and_continuing():
    text = "```qu\nx = 2\n```\n" + CONTINUE + '```qu\nprint("{x}")\n```\n'
    assert run(text) == "2\n"
    assert "page.md:5: the example fails: nothing is named x" in failure(text.replace(CONTINUE, ""))


def test_a_qu_error_names_its_line_in_the_page():
    message = failure("# Title\n\n    ```qu\n    x = 1\n    fail(3)\n    ```\n")
    assert message.startswith("page.md:5: the example fails: x has 3 columns but y has 2")
    assert "\n  fail(3)\n  ^" in message
    assert "page.md:4: the example fails: " in failure("# Title\n\n```qu\nx = = 1\n```\n")


def test_an_expected_qu_error_counts_lines_from_its_fence():
    printed = run("# Title\n\n" + RAISES + '```qu\nprint("a")\nfail(3)\n```\n')
    assert printed.startswith("a\n<input>:2:1: x has 3 columns but y has 2\n")
    assert "page.md" not in printed


def test_only_an_error_of_opbook_is_expected_from_qu():
    catalogue = {"leave": sys.exit}
    (example,) = find("page.md", RAISES + "```qu\nleave(1)\n```\n")
    with pytest.raises(ExampleError, match="the example fails: SystemExit: 1"):
        Runner(catalogue).run(example)


def test_an_example_that_needs_a_package_runs_where_that_is_installed(tmp_path):
    page = tmp_path / "page.md"
    missing, there = (f"<!-- example: needs, {name} -->\n" for name in ("no_such_package", "json"))
    page.write_text(
        python("1/0", missing) + python("1/0", CONTINUE) + python("print(1)", there) + "```output\n1\n```\n"
    )
    results = run_pages([page], {})
    assert [result.status for result in results] == ["skipped", "skipped", "passed"]
    assert results[1].message.endswith("page.md:6: needs no_such_package, not installed here")


def test_results_of_a_check(tmp_path):
    good = tmp_path / "good.md"
    good.write_text(python("print(1)") + "\n```output\n1\n```\n" + python("print(2)", "<!-- example: skip, slow -->\n"))
    bad = tmp_path / "sub" / "bad.md"
    bad.parent.mkdir()
    bad.write_text(python("print(1)") + python("print(1)") + "```output\n2\n```\n" + python("1/0"))
    broken = tmp_path / "sub" / "broken.md"
    broken.write_text("\n```py\nx\n```\n")
    results = run_pages([tmp_path], {})
    assert [(result.path, result.line, result.status) for result in results] == [
        (good, 1, "passed"),
        (good, 9, "skipped"),
        (bad, 1, "failed"),
        (bad, 4, "failed"),
        (bad, 10, "failed"),
        (broken, 2, "failed"),
    ]
    messages = [result.message for result in results]
    assert messages[0] == ""
    assert messages[1].endswith("good.md:9: slow")
    assert "bad.md:1: no output fence shows what it printed.\n--- documented\n+++ printed\n" in messages[2]
    assert "bad.md:4: the output differs from what is documented.\n--- documented\n+++ printed\n" in messages[3]
    assert "-2\n+1\n" in messages[3]
    assert "bad.md:11: the example fails: ZeroDivisionError: division by zero" in messages[4]
    assert "Write ```python." in messages[5]
    assert [result.printed for result in results] == ["1\n", None, "1\n", "1\n", None, None]


def test_one_example_can_be_checked():
    (example,) = find("page.md", python("print(1)") + "```output\n1\n```\n")
    assert run_example(example, Runner({})).status == "passed"


@pytest.mark.parametrize(
    "code", ["while True:\n    print('x' * 1000)", "try:\n    print('x' * 10**7)\nexcept Exception:\n    pass"]
)
def test_a_flood_ends_with_file_and_line(code):
    message = failure(python(code))
    assert message.startswith("page.md:3: the example fails: it prints more than 1,000,000 characters")


@pytest.mark.parametrize("output", ["", "```output\n-8<- \n```\n"])
def test_a_snippet_marker_is_named_and_not_run(output):
    code = "print(1)" if output else 'print(1)\n--8<-- "parts/code.py"'
    message = failure(python(code) + output)
    assert message.startswith("page.md:5: " if output else "page.md:3: ")
    assert "marker of pymdownx.snippets" in message


def test_an_example_that_takes_long_is_named(monkeypatch):
    said, heard = [], threading.Event()
    monkeypatch.setattr("opbook.examples.running.PATIENCE", 0.0)
    monkeypatch.setattr("opbook.examples.running._say", lambda message: (said.append(message), heard.set()))
    catalogue = CATALOGUE | {"wait": lambda: print(heard.wait(60))}
    (example,) = find("page.md", "\n```qu\nwait()\n```\n")
    assert Runner(catalogue).run(example) == "True\n"
    assert said == ["page.md:2: this example has been running for 0 s"]


def test_an_interrupted_example_is_named_with_its_line(monkeypatch):
    said = []
    monkeypatch.setattr("opbook.examples.running._say", said.append)
    with pytest.raises(KeyboardInterrupt):
        run(python("x = 1\nraise KeyboardInterrupt"))
    assert said == ["page.md:3: ended while this example was running"]

from pathlib import Path

import pytest

from opbook.errors import ExampleError
from opbook.examples import find, pages
from opbook.examples.example import Choice


def found(text):
    return [(example.line, example.language, example.code, example.output) for example in find("page.md", text)]


def refusal(text, name="page.md"):
    with pytest.raises(ExampleError) as caught:
        find(name, text)
    return str(caught.value)


PLAIN = """# A title

```python
x = 1

print(x)
```

```output
1
```
"""


def test_an_example_is_a_fence_and_its_output():
    (example,) = find("page.md", PLAIN)
    assert (example.path, example.line, example.end) == (Path("page.md"), 3, 7)
    assert (example.language, example.code, example.output) == ("python", "x = 1\n\nprint(x)\n", "1\n")
    assert (example.output_span, example.heading, example.place) == ((9, 11), "A title", "page.md:3")
    assert (example.continues, example.skip, example.raises, example.previous) == (False, None, False, None)


def test_an_example_may_print_nothing():
    assert found("```qu\nx = 1\n```\n\nText.\n") == [(1, "qu", "x = 1\n", None)]


@pytest.mark.parametrize(
    "opening",
    [
        "```python",
        "``` python",
        "```\tpython",
        "```.python",
        "```python  ",
        '```python title="an example"',
        "```python title='an example' hl_lines=\"1 3-4\"",
        '```python linenums="1"',
        "```{.python}",
        "``` { .python }",
        '``` {.python title="x" .annotate}',
        "```python {.no-copy}",
        "``` {: .python }",
        '```python title="a ` backtick"',
        '```python title="a ``` fence"',
        "~~~python",
        "````python",
        "~~~~~ python",
    ],
)
def test_a_spelling_is_collected(opening):
    marker = opening[: len(opening) - len(opening.lstrip("`~"))]
    assert found(f"Text.\n\n{opening}\nprint(1)\n{marker}\n{marker}output\n1\n{marker}\n") == [
        (3, "python", "print(1)\n", "1\n")
    ]


@pytest.mark.parametrize(
    ("opening", "says"),
    [
        ("```Python", "Write ```python."),
        ("```PYTHON", "Write ```python."),
        ("```QU", "Write ```qu."),
        ("```py", "Write ```python."),
        ("```python3", "Write ```python."),
        ("```pycon", "Write ```python."),
        ("```pyhton", "Did you mean python?"),
        ("```quu", "Did you mean qu?"),
        ("```outptu", "Did you mean output?"),
        ("```result", "Write ```output."),
        ("```{python}", "names no language. Write ```python."),
        ("```{.Python}", "Write ```python."),
        ("```{.no-copy .python}", "'no-copy' is not a language"),
        ("```", "names no language. Use ```text, or one of"),
        ('```title="x"', "names no language"),
        ("```python:file.py", "Write ```python."),
        ("```python,ignore", "Write ```python."),
        ("```python{.x}", "cannot read 'python{.x}'"),
        ("```python `x`", "cannot read"),
        ('```python tilte="x"', "no option 'tilte'"),
        ('```python tilte="x"', "Did you mean title?"),
        ("```python continue", "no option 'continue'"),
        ('```python hl_lines="a"', "hl_lines cannot be 'a'"),
        ("```python hl_lines", "hl_lines needs a value"),
        ("~~~py", "Write ```python."),
        ("````py", "Write ```python."),
        ("    ```py", "Write ```python."),
        ("> ```py", "Write ```python."),
        ("```rust", "'rust' is not a language that examples are run in or pages show."),
    ],
)
def test_a_spelling_is_refused_at_its_line(opening, says):
    prefix = opening[: len(opening) - len(opening.lstrip("> "))]
    marker = opening.strip("> ")
    marker = marker[: len(marker) - len(marker.lstrip("`~"))]
    message = refusal(f"Text.\n\n{opening}\n{prefix}print(1)\n{prefix}{marker}\n")
    assert message.startswith("page.md:3: ")
    assert says in message


@pytest.mark.parametrize(
    "prefix", ["    ", "  ", "\t", "        ", "> ", "> > ", ">     ", "    > ", ">\t"], ids=lambda prefix: repr(prefix)
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_indented_and_quoted_fences_lose_their_prefix(prefix, newline):
    lines = ["```python", "if 1:", "    print('a')", "", "```", "", "```output", "a", "```"]
    text = newline.join(["- item", "", *((prefix + line).rstrip() for line in lines), ""])
    (example,) = find("page.md", text)
    assert (example.line, example.code, example.output) == (3, "if 1:\n    print('a')\n\n", "a\n")


@pytest.mark.parametrize(
    "head", ['=== "Python"', "!!! note", "??? tip", "1. item", "- item", "[^1]:", "Term\n:   Text"]
)
def test_a_container_hides_nothing(head):
    text = f"{head}\n\n    ```qu\n    x\n    ```\n\n    ```output\n    1\n    ```\n"
    assert found(text) == [(3 + head.count("\n"), "qu", "x\n", "1\n")]


def test_tabs_behind_the_prefix_stay():
    assert found("\t```python\n    \tx\n\t\ty\n\t```\n")[0][2] == "\tx\n\ty\n"


def test_a_tab_that_reaches_into_the_code_becomes_blanks():
    assert found("  ```python\n\tx\n  ```\n")[0][2] == "  x\n"


def test_a_byte_order_mark_and_trailing_blanks_are_no_matter():
    assert found("\ufeff```qu\nx\n``` \t\n") == [(1, "qu", "x\n", None)]


def test_form_feeds_and_line_separators_do_not_end_a_line():
    assert found("a\x0cb\u2028c\n```qu\nx\u2028y\n```\n") == [(2, "qu", "x\u2028y\n", None)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n```python\nx\n", 3),
        ("a\n\n```text\nx\n", 3),
        ("```python\nx\n\n```output\n1\n```\n", 1),
        ("```python\nx\n````\n", 1),
        ("````python\nx\n```\n", 1),
        ("```python\nx\n~~~\n", 1),
        ("```python\nx\n  ```\n", 1),
        ("```text\nx\n   ```\n\n```\n", 1),
        ("  ```python\n  x\n```\n", 1),
        ("    ```python\n  x\n    ```\n", 1),
        ("> ```python\n> x\n\n> ```\n", 1),
        ("> ```python\nx\n> ```\n", 1),
        ("a\n> ```python\n>x\n> ```\n", 2),
        ("a\n> ```python\n> x\n", 2),
    ],
)
def test_an_unclosed_fence_is_refused_where_it_opens(text, line):
    assert refusal(text).startswith(f"page.md:{line}: this fence is n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- ```python\n  x\n  ```\n", 1),
        ("1. ```python\n   x\n   ```\n", 1),
        ("- ~~~python\n  x\n  ~~~\n", 1),
        ("Term\n:   ```python\n    x\n    ```\n", 2),
        ("Text ```python\nx\n```\n", 1),
        ("\u00a0```python\nx\n```\n", 1),
        ("<!-- x --> ```python\nx\n```\n", 1),
    ],
)
def test_a_fence_behind_something_else_is_refused(text, line):
    assert refusal(text).startswith(f"page.md:{line}: a fence must have its line to itself")


@pytest.mark.parametrize(
    "text",
    [
        "````markdown\n```python\nx\n```\n````\n",
        "~~~markdown\n```python\nx\n```\n~~~\n",
        "```markdown\n- a\n\n    ```python\n    x\n    ```\n```\n",
        "<!--\n```python\nx\n```\n-->\n",
        "Text\n   <!-- a\n```py\nx\n```\n b --> text\n",
        "<pre>\n```python\nx\n```\n</pre>\n",
        '<PRE class="a">\n```python\nx\n```\n</PRE>\n',
        "Use ```` ```qu ```` for it.\n",
        "```` ```qu ```` begins a line.\n",
        "``` `a` ``` too\n",
        "A `<!--` alone, and `<pre>`.\n",
        "a ~~~ b\n",
    ],
)
def test_fences_that_are_only_shown_or_hidden_are_not_run(text):
    assert found(text + "\n```qu\nx\n```\n") == [(text.count("\n") + 2, "qu", "x\n", None)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n<!-- never closed\n\n```python\nx\n```\n", 3),
        ("<pre>\n\n```python\nx\n```\n", 1),
        ("<!--\n```python\n-->\nx\n```\n", 2),
        ("- a\n\n    <!--\n    ```python\n    x\n    ```\n    -->\n", 4),
        ("    <!--\n    ```python\n    x\n    ```\n    -->\n", 2),
        ("> <!--\n> ```python\n> x\n> ```\n> -->\n", 2),
        ("a <!--\n\n```python\nx\n```\n\n-->\n", 3),
    ],
)
def test_a_fence_that_may_or_may_not_be_hidden_is_refused(text, line):
    assert refusal(text).startswith(f"page.md:{line}: ")


def test_a_comment_that_ends_early_for_some_parsers_hides_nothing_behind_that():
    for end in ("<!-- a\n--!>", "<!-- a\n-- >", "<!--\n-->", "\n<!-- a --!>", "\n<!-->", "\n<!--->"):
        assert found(f"{end}\n```qu\nx\n```\n-->\n") == [(3, "qu", "x\n", None)]


def test_shown_languages_are_left_alone():
    assert (
        found('```text\nx\n```\n\n~~~toml title="pyproject.toml"\nx\n~~~\n\n``` { .console .no-copy }\nx\n```\n') == []
    )


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a\n\n```output\n1\n```\n", 3, "follows no example"),
        ("```qu\nx\n```\n\n```output\n1\n```\n\n```output\n1\n```\n", 9, "follows no example"),
        ("```qu\nx\n```\n\nText.\n\n```output\n1\n```\n", 7, "follows no example"),
        ("```qu\nx\n```\n<!-- a -->\n```output\n1\n```\n", 5, "follows no example"),
        ("```text\nx\n```\n```output\n1\n```\n", 4, "follows no example"),
        ("- a\n\n    ```qu\n    x\n    ```\n\n```output\n1\n```\n", 7, "indented or quoted as its example on line 3"),
        ("> ```qu\n> x\n> ```\n\n```output\n1\n```\n", 5, "indented or quoted as its example on line 1"),
        ("```qu\n```\n", 1, "empty"),
        ("```python\n   \n\n```\n", 1, "empty"),
        ("<!-- example: continue -->\n```qu\nx\n```\n", 2, "no qu example above"),
        ("```python\nx\n```\n<!-- example: continue -->\n```qu\nx\n```\n", 5, "no qu example above"),
        ("<!-- example: skip -->\n```qu\nx\n```\n", 1, "reason"),
        ("<!-- example: skip,  -->\n```qu\nx\n```\n", 1, "reason"),
        ("<!-- example: contineu -->\n```qu\nx\n```\n", 1, "unknown directive 'contineu'. Did you mean continue?"),
        ("<!-- example: skip REASON -->\n```qu\nx\n```\n", 1, "<!-- example: skip, REASON -->"),
        ("<!-- example: needs -->\n```qu\nx\n```\n", 1, "<!-- example: needs, PACKAGE -->"),
        ("<!-- example: needs, a-package -->\n```qu\nx\n```\n", 1, "the names that they are imported by"),
        ("<!-- example: raises, x -->\n```qu\nx\n```\n", 1, "takes nothing"),
        ("<!-- example: raises -->\n<!-- example: raises -->\n```qu\nx\n```\n", 2, "twice"),
        ("<!-- example: vary -->\n```qu\nx = 1\n```\n", 2, "vary takes a name and its values"),
        ("<!-- example: vary, x -->\n```qu\nx = 1\n```\n", 2, "<!-- example: vary, NAME = VALUE, VALUE -->"),
        ("<!-- example: vary, x = 1 -->\n```qu\nx = 1\n```\n", 2, "vary takes a name and its values"),
        ("<!-- example: vary, x = 1, 1 -->\n```qu\nx = 1\n```\n", 2, "each once"),
        ("<!-- example: vary, x = 1,, 2 -->\n```qu\nx = 1\n```\n", 2, "vary takes a name and its values"),
        ("<!-- example: vary, x = 1, 2 -->\n```qu\ny = 1\n```\n", 2, "one line that begins with x = , but has 0"),
        ("<!-- example: vary, x = 1, 2 -->\n```qu\nx = 1\nx = 2\n```\n", 2, "but has 2"),
        ("<!-- example: vary, x = 1, 2 -->\n```qu\nx = 3\n```\n", 2, "the line x = 3 has none of the values 1, 2"),
        ("<!-- example: raises -->\n<!-- example: vary, x = 1, 2 -->\n```qu\nx = 1\n```\n", 3, "marked 'raises'"),
        ("<!-- example: raises -->\n\nText.\n\n```qu\nx\n```\n", 1, "does not stand directly above"),
        ("<!-- example: raises -->\n```text\nx\n```\n", 1, "does not stand directly above"),
        ("```qu\nx\n```\n<!-- example: raises -->\n```output\nx\n```\n", 4, "does not stand directly above"),
        ("```qu\nx\n```\n<!-- example: raises -->\n", 4, "does not stand directly above"),
    ],
)
def test_what_belongs_to_nothing_is_refused(text, line, says):
    message = refusal(text)
    assert message.startswith(f"page.md:{line}: ")
    assert says in message


def test_directives():
    text = """```qu
a
```

<!-- example: skip, needs a printer -->

```python
b
```

<!-- example: continue -->
<!--Example:raises-->
```qu
c
```
"""
    first, second, third = find("page.md", text)
    assert (second.skip, second.continues, second.raises) == ("needs a printer", False, False)
    assert (third.skip, third.continues, third.raises) == (None, True, True)
    assert third.previous == first  # the nearest one of its own language
    assert third.chain == (first, third)
    assert second.chain == (second,)


def test_an_example_may_vary_one_of_its_lines():
    text = "<!-- example: vary, eps = 1e-5, 0.1, 10 -->\n```python\nneps = 1\neps = 0.1  \nprint(eps)\n```\n"
    (example,) = find("page.md", text)
    assert example.choice == Choice("eps", ("1e-5", "0.1", "10"), "0.1")
    varied = example.varied("10")
    assert (varied.code, varied.choice) == ("neps = 1\neps = 10\nprint(eps)\n", None)


def test_what_an_example_needs_those_that_continue_it_need_too():
    text = """<!-- example: needs, json, no_such_package -->
```qu
a
```

<!-- example: continue -->
<!-- example: needs, no_other_package, json -->
```qu
b
```

```qu
c
```

<!-- example: needs, json -->
```qu
d
```
"""
    assert [(example.needs, example.why_not_run) for example in find("page.md", text)] == [
        (("json", "no_such_package"), "needs no_such_package, not installed here"),
        (
            ("json", "no_such_package", "no_other_package"),
            "needs no_such_package, no_other_package, not installed here",
        ),
        ((), None),
        (("json",), None),
    ]


def test_the_heading_is_the_nearest_above():
    text = "---\ntitle: T\n---\n{}# A `b` c {{ #id }} #\n{}\n## D\n{}\nE\n===\n{}".format(*["```qu\nx\n```\n"] * 4)
    assert [example.heading for example in find("page.md", text)] == ["", "A `b` c", "D", "E"]


def test_a_heading_says_what_the_examples_below_it_show():
    headings = ("", "## A { .edge }", "## B", "C {: #id .gradient .other }\n===", "## D")
    text = "\n".join(f"{heading}\n```qu\nx\n```" for heading in headings)
    assert [example.kind for example in find("page.md", text)] == ["", "edge", "", "gradient", ""]
    assert [example.heading for example in find("page.md", text)] == ["", "A", "B", "C", "D"]


def test_beside_an_op_examples_are_of_known_kinds():
    message = refusal("x\n\n## A { .edges }\n\n```qu\nx\n```\n", "plugins/x/examples.md")
    assert (
        message == "plugins/x/examples.md:3: examples are of no kind edges; they are options, edge, gradient, picture."
    )
    assert find("docs/page.md", "## A { .edges }\n\n```qu\nx\n```\n")[0].kind == ""


def test_an_examples_page_must_have_one():
    assert refusal("# Title\n", "plugins/x/examples.md").startswith("plugins/x/examples.md:1: this page has no example")
    assert find("plugins/x/README.md", "# Title\n") == []


def test_a_file_is_read_as_utf8(tmp_path):
    page = tmp_path / "page.md"
    page.write_bytes("é\n```qu\nx = 'é'\n```\n".encode())
    assert find(page)[0].code == "x = 'é'\n"
    page.write_bytes("a\né\n".encode("latin-1"))
    with pytest.raises(ExampleError, match=r"page\.md:2: byte 0xe9 is not UTF-8"):
        find(page)
    with pytest.raises(ExampleError, match=r"none\.md:1: cannot read the file: No such file"):
        find(tmp_path / "none.md")


def test_a_place_is_short_in_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text("```py\nx\n```\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExampleError, match=r"^docs/page\.md:1: "):
        find(page)


def test_pages_of_folders_come_in_order_and_without_hidden_ones(tmp_path):
    for name in ("b.md", "a/c.md", ".venv/x.md", "node_modules/x.md", "a/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert list(pages([tmp_path, "other.md"])) == [tmp_path / "a/c.md", tmp_path / "b.md", Path("other.md")]


def test_linked_folders_and_all_endings_of_markdown_are_looked_at(tmp_path):
    docs, parts = tmp_path / "docs", tmp_path / "parts"
    for folder in (docs, parts):
        folder.mkdir()
        for name in ("a.md", "b.markdown", "c.mdown", "d.mkdn", "e.mkd", "f.txt"):
            (folder / name).write_text("", encoding="utf-8")
    (docs / "linked").symlink_to(parts)
    (parts / "back").symlink_to(docs)  # in a circle
    found = [page.relative_to(docs).as_posix() for page in pages([docs])]
    names = ["a.md", "b.markdown", "c.mdown", "d.mkdn", "e.mkd"]
    assert found == sorted([*names, *(f"linked/{name}" for name in names)])

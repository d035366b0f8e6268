import os
import stat

import pytest

from opbook.examples import find, run_pages, update


@pytest.fixture
def page(tmp_path):
    return tmp_path / "page.md"


def updated(page, text, newline="\n"):
    page.write_bytes(text.replace("\n", newline).encode())
    results = update([page], {})
    once = page.read_bytes()
    again = update([page], {})
    assert page.read_bytes() == once
    assert {result.status for result in again} <= {"passed", "skipped"}
    assert {result.status for result in run_pages([page], {})} <= {"passed", "skipped"}
    return [result.status for result in results], once.decode()


PAGE = """# Title

```python
print(1)
print(2)
```

```output
wrong
```

Text.

```python title="x"
print("new")
```

Text.

```python
x = 1
```

```output
gone
```

```python
print("same")
```
```output
same
```
"""

NEW = """# Title

```python
print(1)
print(2)
```

```output
1
2
```

Text.

```python title="x"
print("new")
```

```output
new
```

Text.

```python
x = 1
```

```python
print("same")
```
```output
same
```
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_outputs_are_rewritten_added_and_removed(page, newline):
    statuses, text = updated(page, PAGE, newline)
    assert text == NEW.replace("\n", newline)
    assert statuses == ["updated", "updated", "updated", "passed"]


def test_a_page_that_agrees_is_not_written(page):
    page.write_text("```python\nprint(0.1 + 0.2)\n```\n```output\n0.3000000000001  \n```\n")
    page.chmod(0o444)
    before = page.stat()
    assert [result.status for result in update([page], {})] == ["passed"]
    assert (page.stat().st_ino, page.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    "prefix", ["    ", "\t", "> ", "> > ", ">     ", "    > ", "  "], ids=lambda prefix: repr(prefix)
)
@pytest.mark.parametrize("head", ["- item", "!!! note", '=== "Tab"'])
def test_indentation_and_quotes_are_kept(page, prefix, head):
    def text(*lines):
        return "\n".join([head, "", *((prefix + line if line else prefix.rstrip()) for line in lines), "", "End."])

    code = ["```python", "print('a\\n\\n    b')", "```", ""]
    wrong = text(*code, "~~~output", "wrong", "~~~")
    assert updated(page, wrong)[1] == text(*code, "~~~output", "a", "", "    b", "~~~")
    missing = text(*code[:-1])
    assert updated(page, missing)[1] == text(*code, "```output", "a", "", "    b", "```")


def test_the_spelling_of_an_output_fence_is_kept(page):
    text = '```python\nprint(1)\n```\n\n\n````{.output title="x"}\n2\n````\n'
    assert updated(page, text)[1] == text.replace("2", "1")


def test_a_tilde_example_gets_a_tilde_output(page):
    assert updated(page, "~~~~python\nprint(1)\n~~~~")[1] == "~~~~python\nprint(1)\n~~~~\n\n~~~output\n1\n~~~"


def test_a_file_without_a_last_newline_gets_none(page):
    assert updated(page, "```python\nx = 1\n```\n\n```output\n1\n```")[1] == "```python\nx = 1\n```"
    assert updated(page, "```python\nprint(1)\n```\n```output\n```")[1] == "```python\nprint(1)\n```\n```output\n1\n```"


@pytest.mark.parametrize("output", ["", "wrong\n"])
def test_an_output_with_a_fence_in_it_gets_a_longer_fence(page, output):
    code = "```python\nprint('````qu\\nx\\n````\\n  ```')\n```\n\n"
    assert updated(page, f"{code}```output\n{output}```\nText.\n")[1] == (
        f"{code}`````output\n````qu\nx\n````\n  ```\n`````\nText.\n"
    )


def test_trailing_blanks_tabs_and_carriage_returns(page):
    text = updated(page, "> ```python\n> print('a\\tb  \\n\\tc\\r\\nd\\n\\n')\n> ```\n")[1]
    assert text.endswith("> ```\n>\n> ```output\n> a\tb\n> \tc\n> d\n> ```\n")


def test_an_empty_output_fence_is_filled_or_removed(page):
    assert updated(page, "```python\nprint(1)\n```\n```output\n```\n")[1].endswith("```\n```output\n1\n```\n")
    statuses, text = updated(page, "```python\nprint()\n```\n\n```output\n\n```\n")
    assert (statuses, text) == (["updated"], "```python\nprint()\n```\n")


def test_skipped_examples_keep_their_output(page):
    text = "<!-- example: skip, slow -->\n```python\nprint(1)\n```\n```output\n2\n```\n\n" + PAGE
    statuses, new = updated(page, text)
    assert statuses[0] == "skipped"
    assert new == text[: -len(PAGE)] + NEW


def test_expected_errors_are_written(page):
    text = "<!-- example: raises -->\n```python\nprint(1)\nint('x')\n```\n"
    assert updated(page, text)[1].endswith(
        "```output\n1\nValueError: invalid literal for int() with base 10: 'x'\n```\n"
    )


def test_the_byte_order_mark_and_odd_characters_stay(page):
    text = "\ufeff# \u2028 \x0c é\n\n```python\nprint('é')\n```\n\n```output\ne\n```\n"
    assert updated(page, text)[1] == text.replace("\ne\n", "\né\n")


@pytest.mark.parametrize(
    "failing",
    [
        "```python\n1/0\n```\n",
        "```python\nimport warnings; warnings.warn('x')\n```\n",
        "```py\nx\n```\n",
        "```output\nx\n",
    ],
)
def test_it_does_not_guess(page, failing):
    page.write_text(PAGE + "\nText.\n\n" + failing)
    before = page.read_bytes(), page.stat().st_ino
    results = update([page], {})
    assert (page.read_bytes(), page.stat().st_ino) == before
    assert results[-1].status == "failed"
    assert results[-1].message.startswith(str(page))
    assert not [result for result in results if result.status == "updated"]
    if len(results) > 1:
        assert f"It was not updated, because line {results[-1].line} of the page fails." in results[0].message
    assert os.listdir(page.parent) == ["page.md"]


def test_a_failing_page_does_not_hold_up_the_others(tmp_path):
    (tmp_path / "a.md").write_text("```python\n1/0\n```\n")
    (tmp_path / "b.md").write_text("```python\nprint(1)\n```\n")
    assert [result.status for result in update([tmp_path], {})] == ["failed", "updated"]
    assert find(tmp_path / "b.md")[0].output == "1\n"


def test_permissions_and_links_are_kept(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    page.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(page)
    update([link], {})
    assert link.is_symlink()
    assert page.read_text() == NEW
    assert stat.S_IMODE(page.stat().st_mode) == 0o640


def test_a_failing_write_leaves_the_page_and_no_litter(page, monkeypatch):
    def replace(source, target):
        raise OSError(28, "No space left on device")

    page.write_text(PAGE)
    monkeypatch.setattr(os, "replace", replace)
    (result,) = update([page], {})
    assert result.status == "failed"
    assert "cannot write the page: No space left on device" in result.message
    assert page.read_text() == PAGE
    assert os.listdir(page.parent) == ["page.md"]


def test_a_page_that_changes_meanwhile_is_left_alone(page):
    code = f"from pathlib import Path\npage = Path({str(page)!r})\npage.write_text(page.read_text() + 'more')\nprint(1)"
    page.write_text(f"```python\n{code}\n```\n")
    (result,) = update([page], {})
    assert result.status == "failed"
    assert "changed while its examples ran" in result.message
    assert page.read_text() == f"```python\n{code}\n```\nmore"


def test_what_is_not_text_cannot_be_written(page):
    page.write_text("```python\nprint('\\ud800')\n```\n")
    (result,) = update([page], {})
    assert result.status == "failed"
    assert "not UTF-8 text" in result.message

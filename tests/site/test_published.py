"""What stands on a site was computed: the text that is checked is the text that is published, whoever put it there."""

import importlib.util
import os
import re
import signal
import subprocess
import sys

import pytest
from site_projects import BUILD, Project

EXAMPLE = "```qu\nsay(double({n}))\n```\n\n```output\n{output}\n```\n"


def right(n: int) -> str:
    """An example whose output is its own."""
    return EXAMPLE.format(n=n, output=f"{2 * n}.0")


def wrong(n: int) -> str:
    """An example whose output is that of the one before it."""
    return EXAMPLE.format(n=n, output=f"{2 * n - 2}.0")


def configure(project: Project, *, plugins: str = "", more: str = "") -> None:
    """Add plugins and settings, and leave out what takes time."""
    project.change("mkdocs.yml", "plugins: [my_ops.py]\n", "plugins: [my_ops.py]\n      verify: false\n")
    project.change("mkdocs.yml", "nav:\n", f"{plugins}{more}nav:\n")


def failing(built: subprocess.CompletedProcess[str]) -> set[str]:
    """The places of what is to be mended."""
    assert built.returncode == 1, built.stderr
    return set(re.findall(r"^(?:error: opbook: )?(\S.*?\.\w+(?: \([^)]*\))?(?::\d+)?): ", built.stderr, re.MULTILINE))


def test_what_is_published_is_checked_and_what_is_not_is_let_be(small: Project) -> None:
    configure(small, more="exclude_docs: /excluded.md\ndraft_docs: /draft.md\nhooks: [hooks.py]\n")
    small.write("parts/linked/page.md", f"# Linked\n\n{wrong(2)}")
    (small.folder / "docs/linked").symlink_to(small.folder / "parts/linked")
    for ending in ("markdown", "mdown", "mkdn", "mkd"):
        small.write(f"docs/as-{ending}.{ending}", f"# Other\n\n{wrong(3)}")
    for name in ("excluded", "draft", "removed"):
        small.write(f"docs/{name}.md", f"# {name}\n\n{wrong(4)}")
    small.write(
        "hooks.py",
        """
        def on_files(files, config):
            files.remove(files.get_file_from_path("removed.md"))
        """,
    )
    assert failing(small.build()) == {
        "docs/linked/page.md:3",
        "docs/as-markdown.markdown:3",
        "docs/as-mdown.mdown:3",
        "docs/as-mkdn.mkdn:3",
        "docs/as-mkd.mkd:3",
    }


HOOKS = """
from mkdocs.structure.files import File


def on_files(files, config):
    files.append(File.generated(config, "made.md", content=MADE))


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri == "index.md":
        return markdown + "\\n" + ADDED
    return markdown.replace("say(double(9))", CHANGED) if page.file.name in ("late", "double") else markdown


def on_page_content(html, page, config, files):
    if page.file.src_uri == "late.md":
        return html + LATE
"""

OUTPUT_BLOCK = '<div class="language-output highlight"><pre><code>{} &lt; 9\n</code></pre></div>'


def test_snippets_hooks_and_generated_pages_are_checked_as_they_are_published(small: Project) -> None:
    configure(small, more="markdown_extensions:\n  - pymdownx.snippets:\n      base_path: [parts]\nhooks: [hooks.py]\n")
    small.write("parts/code.txt", "say(double(5))\n")
    small.write("docs/fenced.md", f'# Fenced\n\n{right(1)}\n```qu\n--8<-- "code.txt"\n```\n\n```output\n8.0\n```\n')
    small.write("parts/part.md", wrong(6))
    small.write("docs/around.md", '# Around\n\n--8<-- "part.md"\n')
    small.write("docs/late.md", f"# Late with double\n\n{right(9)}")
    hooks = f"CHANGED = 'say(double(8))'\nMADE = {wrong(3)!r}\nADDED = {wrong(7)!r}\n"
    small.write("hooks.py", f"{hooks}LATE = {OUTPUT_BLOCK.format(1)!r}\n{HOOKS}")
    built = small.build()
    assert "7 things to mend" in built.stderr
    assert failing(built) == {
        "docs/fenced.md (as put together):11",
        "docs/around.md (as put together):3",
        "docs/index.md (as put together):21",
        "docs/late.md (as put together):3",
        "docs/late.md",
        "ops/double.md (made by opbook):41",
        "made.md (made by hooks.py):1",
    }
    assert "1 of its output blocks is in no Markdown" in built.stderr
    assert "+14.0" in built.stderr
    assert "Traceback" not in built.stderr

    small.change("docs/fenced.md", "8.0", "10.0")
    small.write("parts/part.md", right(6))
    hooks = f"CHANGED = 'say(double(4 + 5))'\nMADE = {right(3)!r}\nADDED = {right(7)!r}\n"
    small.write("hooks.py", f"{hooks}LATE = '<p>1</p>'\n{HOOKS}")
    built = small.build()
    assert built.returncode == 0, built.stderr
    assert "10.0" in small.page("fenced")
    assert re.search(r">4<.*>5<", small.page("late"))


needed = ("mkdocs_include_markdown_plugin", "mkdocs_macros", "mkdocs_gen_files")
has_includes = all(map(importlib.util.find_spec, needed))


@pytest.mark.skipif(not has_includes, reason="include-markdown, macros or gen-files is not installed")
@pytest.mark.parametrize("order", ["before", "behind"])
def test_includes_macros_and_generated_files_are_checked_as_they_are_published(small: Project, order: str) -> None:
    plugins = "  - include-markdown\n  - macros\n  - gen-files: {scripts: [make.py]}\n"
    configure(small, plugins=plugins if order == "behind" else "")
    if order == "before":
        small.change("mkdocs.yml", "  - search\n", f"  - search\n{plugins}")
    small.write(
        "make.py",
        f"import mkdocs_gen_files\nwith mkdocs_gen_files.open('made.md', 'w') as f:\n    f.write({wrong(4)!r})\n",
    )
    small.write("parts/part.md", wrong(6))
    small.write("docs/included.md", '# Included\n\n{% include-markdown "../parts/part.md" %}\n')
    small.write("docs/macro.md", "# Macro\n\n" + wrong(5).replace("double(5)", "double({{ 2 + 3 }})"))
    assert failing(small.build()) == {
        "docs/included.md (as put together):3",
        "docs/macro.md (as put together):3",
        "made.md (made by mkdocs-gen-files):1",
    }


@pytest.mark.skipif(not importlib.util.find_spec("mkdocs_static_i18n"), reason="mkdocs-static-i18n is not installed")
def test_a_site_in_two_languages_has_the_builtins_in_both(small: Project) -> None:
    languages = "[{locale: en, name: English, default: true}, {locale: de, name: Deutsch}]"
    configure(small, plugins=f"  - i18n: {{languages: {languages}}}\n")
    small.write("docs/index.de.md", f"# Willkommen\n\n[double](ops/double.md)\n\n{right(1)}")
    built = small.build()
    assert built.returncode == 0, built.stderr
    assert "Doubles every entry." in small.page("ops/double")
    assert "Doubles every entry." in small.page("de/ops/double")
    assert 'href="ops/double/"' in small.page("de")
    small.change("docs/index.de.md", "2.0", "3.0")
    assert failing(small.build()) == {"docs/index.de.md:5"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_build_that_is_ended_leaves_no_process_and_says_where_it_was(small: Project, how: signal.Signals) -> None:
    configure(small)
    small.write("docs/endless.md", "```python\nimport os\n\nos.write(2, b'begun\\n')\nwhile True:\n    pass\n```\n")
    for n in range(16):  # so many pages are run in several processes
        small.write(f"docs/page{n}.md", right(1))
    process = subprocess.Popen(
        [sys.executable, "-c", BUILD, "mkdocs.yml", str(small.site)],
        cwd=small.folder,
        env=small.environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that all of its processes can be ended, should the test fail
    )
    try:
        assert process.stderr
        while (line := process.stderr.readline()) != "begun\n":
            assert line, "it ended before the example began"
        process.send_signal(how)
        _, said = process.communicate(timeout=120)  # which ends when nobody has standard error any more
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert re.search(r"docs/endless.md:[56]: ended while this example was running", said), said
